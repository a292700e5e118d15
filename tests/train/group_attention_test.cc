#include "train/modules/group_attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/train/gradient_check.h"

namespace outrider::train {
namespace {

TEST(GroupAttention, GradientsAreThoseOfFiniteDifferences) {
  // Texts of 70 and 3 rows with 34 and 1 groups of 2 masks; with and without a real query.
  AttentionLayout layout;
  layout.spans = {{0, 70, 0, 34}, {70, 3, 34, 1}};
  for (int i = 0; i < 34; ++i) layout.query_positions.push_back(2 * i + 1);
  layout.query_positions.push_back(2);
  // Four query heads for two key heads, and one for each.
  for (const auto& [slots, heads] : {std::pair<std::int64_t, std::int64_t>{3, 4}, {2, 4}, {2, 2}}) {
    const at::Tensor weights = test::random_numbers({35, slots, heads * 8}, 6);
    test::expect_gradients(
        [&](const std::vector<at::Tensor>& x) {
          return (group_attention(x[0], x[1], x[2], x[3], x[4], layout) * weights).sum();
        },
        {test::random_numbers({35, slots, heads, 8}, 1), test::random_numbers({73, 2, 8}, 2),
         test::random_numbers({73, 2, 8}, 3), test::random_numbers({35, 2, 2, 8}, 4),
         test::random_numbers({35, 2, 2, 8}, 5)});
  }
}

}  // namespace
}  // namespace outrider::train
