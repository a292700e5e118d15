#include "runtime/base/duration_text.h"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(DurationText, HasTwoUnitsAtMost) {
  EXPECT_EQ(duration_text(0.2), "0 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
}

}  // namespace
}  // namespace outrider
