#include "data/study/stop_study.h"

#include <gtest/gtest.h>

#include <vector>

namespace outrider::study {
namespace {

TEST(StopCell, AddsTextsAndKeepsThemApart) {
  StopCell cell;
  cell.add({.tokens = 2, .passes = 2, .draft_passes = 5, .seconds = 4});
  cell.add({.tokens = 0, .draft_passes = 1, .seconds = 1});
  EXPECT_EQ(cell.tokens_of_texts, (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(cell.seconds_of_texts, (std::vector<double>{4, 1}));
  EXPECT_EQ(cell.sums.draft_passes, 6);
  EXPECT_EQ(cell.milliseconds_per_token(), 2500);
}

}  // namespace
}  // namespace outrider::study
