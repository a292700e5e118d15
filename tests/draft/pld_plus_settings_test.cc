#include "runtime/draft/copy/pld_plus_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace outrider::draft {
namespace {

/// Drafts of 1, 4 and 20 tokens in half of the passes, with a threshold in a quarter of them.
PldPlusSettings some_settings() {
  PldPlusSettings settings;
  settings.plain_tokens_per_second = 3;
  settings.draft_lengths = {1, 4, 20};
  settings.thresholds = {-1, 0.5};
  settings.tokens_per_pass = {1.3, 1.25, 1.8, 1.6, 2.4, 1.9};
  settings.drafted_per_pass = {0.5, 0.25, 2, 1, 10, 5};
  settings.tokens_per_second = {1, 2, 3, 4, 5, 6};
  settings.draft_length = 20;
  settings.threshold = 0.5;
  return settings;
}

PldPlusSettings with_rows_of(double more) {
  return priced(some_settings(), [more](int rows) { return 2 * (1 + more * (rows - 1)); });
}

TEST(PldPlusSettings, HaveTheSpeedsOfOtherPasses) {
  const PldPlusSettings found = with_rows_of(0.1);
  EXPECT_DOUBLE_EQ(found.plain_tokens_per_second, 0.5);
  EXPECT_DOUBLE_EQ(found.tokens_per_second[0], 1.3 / (0.5 * 2 + 0.5 * 2.2));
  EXPECT_DOUBLE_EQ(found.tokens_per_second[3], 1.6 / (0.75 * 2 + 0.25 * 2.8));
  EXPECT_DOUBLE_EQ(speed_up(found), found.tokens_per_second[2] / 0.5);
}

TEST(PldPlusSettings, AreLongWhereRowsAreCheapAndShortWhereTheyAreExpensive) {
  EXPECT_EQ(with_rows_of(0).draft_length, 20);
  EXPECT_EQ(with_rows_of(0).threshold, -1);
  EXPECT_EQ(with_rows_of(0.1).draft_length, 4);
  EXPECT_EQ(with_rows_of(0.5).draft_length, 1);
  EXPECT_EQ(with_rows_of(0.5).threshold, 0.5);
  EXPECT_LT(speed_up(with_rows_of(2)), 1);
}

TEST(PldPlusSettings, WithoutCurvesKeepWhatWasChosen) {
  PldPlusSettings older;
  older.draft_length = 7;
  older.threshold = 0.25;
  older = priced(older, [](int rows) { return rows; });
  EXPECT_EQ(older.draft_length, 7);
  EXPECT_EQ(older.threshold, 0.25);
  EXPECT_EQ(speed_up(older), 0);
}

TEST(PldPlusSettings, LengthsByStepTakeTheNewTimesAndKeepTheirGain) {
  PldPlusSettings settings = some_settings();
  PldPlusLengths& lengths = settings.by_step.emplace();
  lengths.seconds = {9, 9, 9};
  lengths.tokens_per_second = 11;
  lengths.fixed_tokens_per_second = 10;
  settings = priced(settings, [](int rows) { return rows; });
  EXPECT_EQ(settings.by_step->seconds, (std::vector<double>{1, 2, 3}));
  const double fixed =
      *std::max_element(settings.tokens_per_second.begin(), settings.tokens_per_second.end());
  EXPECT_DOUBLE_EQ(speed_up(settings), 1.1 * fixed);
}

}  // namespace
}  // namespace outrider::draft
