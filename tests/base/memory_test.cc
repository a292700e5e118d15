#include "runtime/base/memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace outrider {
namespace {

TEST(Memory, ThePeakStaysAfterTheMemoryIsGivenBack) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::int64_t before = peak_rss_bytes();
  { const std::vector<char> block(kBytes, 1); }
  EXPECT_GE(peak_rss_bytes(), before + static_cast<std::int64_t>(kBytes / 2));
}

}  // namespace
}  // namespace outrider
