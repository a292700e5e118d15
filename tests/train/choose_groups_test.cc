#include "train/parallelspec/choose_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace outrider::train {
namespace {

TEST(SomeStarts, AreSpreadEvenlyAndAllInTurn) {
  const GroupStarts possible = {3, 5, 6, 9, 12, 13, 20};
  EXPECT_EQ(some_starts(possible, 0, 5), possible);
  EXPECT_EQ(some_starts(possible, 7, 5), possible);
  std::map<std::int32_t, int> times;
  for (std::uint64_t random = 0; random < 7; ++random) {
    const GroupStarts some = some_starts(possible, 3, random);
    EXPECT_EQ(some.size(), 3u);
    EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
    for (const std::int32_t start : some) ++times[start];
  }
  for (const std::int32_t start : possible) EXPECT_EQ(times[start], 3) << start;
  EXPECT_EQ(a_stretch({2, 4, 9}, 12, 5, 1), (GroupStarts{4, 5, 6, 7, 8}));
  EXPECT_EQ(a_stretch({9}, 12, 5, 1), (GroupStarts{9, 10, 11}));
  EXPECT_EQ(a_stretch({}, 12, 5, 1), GroupStarts{});
}

}  // namespace
}  // namespace outrider::train
