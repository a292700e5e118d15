#include "runtime/engine/cpu/alibi.h"

#include <gtest/gtest.h>

#include <vector>

namespace outrider::engine::cpu {
namespace {

// By the definition, and for twelve heads as in the authors' example: the eight of eight heads, then the
// first, third, fifth and seventh of sixteen.
TEST(Alibi, HasASlopeForEveryHead) {
  EXPECT_EQ(alibi_slopes(1), (std::vector<float>{0x1p-8f}));
  EXPECT_EQ(alibi_slopes(4), (std::vector<float>{0x1p-2f, 0x1p-4f, 0x1p-6f, 0x1p-8f}));
  EXPECT_EQ(alibi_slopes(6),
            (std::vector<float>{0x1p-2f, 0x1p-4f, 0x1p-6f, 0x1p-8f, 0x1p-1f, 0x1p-3f}));
  const std::vector<float> twelve = alibi_slopes(12);
  ASSERT_EQ(twelve.size(), 12u);
  EXPECT_EQ(twelve[7], 0x1p-8f);
  EXPECT_FLOAT_EQ(twelve[8], 0.70710678f);
  EXPECT_FLOAT_EQ(twelve[11], 0.088388346f);
}

}  // namespace
}  // namespace outrider::engine::cpu
