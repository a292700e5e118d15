#include "data/commands/memory_watch.h"

#include <gtest/gtest.h>

#include <vector>

namespace outrider::data {
namespace {

TEST(MemoryWatch, MeasuresTheGrowthAfterTheWarmUp) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  MemoryWatch watch(0);
  watch.sample();
  const std::int64_t first = watch.first();
  EXPECT_GT(first, 0);
  {
    const std::vector<char> block(kBytes, 1);
    watch.sample();
  }
  watch.sample();
  EXPECT_EQ(watch.first(), first);
  EXPECT_GE(watch.most(), first + static_cast<std::int64_t>(kBytes / 2));
}

TEST(MemoryWatch, IsZeroDuringTheWarmUp) {
  MemoryWatch watch;
  watch.sample();
  EXPECT_EQ(watch.first(), 0);
  EXPECT_EQ(watch.most(), 0);
}

}  // namespace
}  // namespace outrider::data
