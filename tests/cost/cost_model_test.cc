#include "runtime/cost/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace outrider::cost {
namespace {

TEST(CostModel, MoreRowsAreNeverCheaperWhateverWasMeasured) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<TimedPass> passes = {{{Shape::kTree, 1, 0}, 1}};
    for (int rows = 1; rows <= 8; ++rows)
      for (const int context : {10, 500, 2000}) {
        const double noise = 0.7 + 0.6 * static_cast<double>(random() % 1000) / 1000;
        passes.push_back(
            {{Shape::kChain, rows, context}, noise * (1 + 0.05 * rows + 1e-3 * context)});
      }
    const CostModel model(passes);
    for (int rows = 1; rows < 8; ++rows)
      for (const int context : {0, 100, 2000}) {
        const double fewer = model.seconds({Shape::kChain, rows, context});
        EXPECT_GT(fewer, 0);
        EXPECT_GE(model.seconds({Shape::kChain, rows + 1, context}), fewer * (1 - 1e-12));
      }
  }
}

TEST(CostModel, RowsOutOfOrderShareTheLineOfAllTheirPasses) {
  std::vector<TimedPass> passes = {{{Shape::kTree, 1, 0}, 1}};
  const double seconds[] = {1, 2, 1.6, 3};
  for (int rows = 1; rows <= 4; ++rows)
    passes.push_back({{Shape::kChain, rows, 0}, seconds[rows - 1]});
  const CostModel model(passes);
  const auto of = [&](int rows) { return model.seconds({Shape::kChain, rows, 0}); };
  EXPECT_DOUBLE_EQ(of(1), 1);
  EXPECT_DOUBLE_EQ(of(2), of(3));
  // The least squares of relative errors.
  EXPECT_DOUBLE_EQ(of(2), (1 / 2.0 + 1 / 1.6) / (1 / 4.0 + 1 / 2.56));
  EXPECT_DOUBLE_EQ(of(4), 3);
}

}  // namespace
}  // namespace outrider::cost
