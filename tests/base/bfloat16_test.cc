#include "runtime/base/bfloat16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace outrider {
namespace {

TEST(Bfloat16, ConvertsToFloatAndBackForEveryNumber) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto number = static_cast<Bfloat16>(bits);
    const float value = bfloat16_to_float(number);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(value)))) << bits;
    } else {
      EXPECT_EQ(float_to_bfloat16(value), number) << bits;
    }
  }
}

TEST(Bfloat16, RoundsToTheNearestAndTiesToEven) {
  const auto rounded = [](float value) { return bfloat16_to_float(float_to_bfloat16(value)); };
  // Eight bits of fraction: steps of 2^-7 above 1.
  EXPECT_EQ(rounded(1 + 0x1p-8f), 1.0f);
  EXPECT_EQ(rounded(1 + 0x1p-8f + 0x1p-20f), 1 + 0x1p-7f);
  EXPECT_EQ(rounded(1 + 3 * 0x1p-8f), 1 + 2 * 0x1p-7f);
  EXPECT_EQ(rounded(-1 - 3 * 0x1p-8f), -1 - 2 * 0x1p-7f);
  EXPECT_EQ(rounded(std::numeric_limits<float>::max()), std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace outrider
