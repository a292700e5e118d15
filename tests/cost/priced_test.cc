#include "runtime/cost/priced.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/cost/drafted_rounds.h"

namespace outrider::cost {
namespace {

/// Passes of 1 second for the first row and `more` for each further one; of a tree twice as much.
CostModel passes_of(double more) {
  std::vector<TimedPass> passes;
  for (const int rows : {1, 5, 17}) {
    passes.push_back({{Shape::kChain, rows, 0}, 1 + more * (rows - 1)});
    passes.push_back({{Shape::kTree, rows, 0}, 1 + 2 * more * (rows - 1)});
  }
  return CostModel(passes);
}

/// Passes that cost the same up to 4 rows and then much more, as those of kernels do.
CostModel stepped_passes() {
  std::vector<TimedPass> passes = {{{Shape::kTree, 1, 0}, 1}};
  const double seconds[] = {1, 1.02, 1.1, 1.1, 1.6, 1.6, 1.7, 1.9, 3, 3, 3.4, 4};
  for (int rows = 1; rows <= 12; ++rows)
    passes.push_back({{Shape::kChain, rows, 0}, seconds[rows - 1]});
  return CostModel(passes);
}

/// What replaying random texts finds: scores predict what is accepted, not always.
DraftSettings replayed(const RoundPrices& prices) {
  std::mt19937 random(7);
  const auto uniform = [&random] { return static_cast<double>(random() % 1000) / 1000; };
  std::vector<std::uint8_t> counted(4000, 1), accepted;
  std::vector<float> score;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    score.push_back(static_cast<float>(uniform()));
    accepted.push_back(uniform() < 0.35 + 0.6 * static_cast<double>(score.back()) ? 1 : 0);
  }
  DraftSettings settings;
  settings.thresholds = {0, 0.2, 0.4, 0.7};
  for (int length = 1; length <= 11; ++length) settings.draft_lengths.push_back(length);
  const DraftedText text = {counted, accepted, score};
  predict_rounds(
      std::span(&text, 1), settings.thresholds, [&](int rows) { return prices.pass_seconds(rows); },
      prices.step_seconds(), settings);
  return settings;
}

TEST(Priced, HasTheSpeedsThatReplayingFinds) {
  const RoundPrices here = {stepped_passes(), 0, 0.07};
  const DraftSettings expected = replayed(here);
  const DraftSettings found = priced(replayed({passes_of(1), 0, 0.5}), here);
  EXPECT_DOUBLE_EQ(found.plain_tokens_per_second, 1);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found.tokens_per_second[i] / expected.tokens_per_second[i], 1, 0.02)
        << found.cell(i).threshold << " " << found.cell(i).draft_length;
  EXPECT_NEAR(found.speed_up(), expected.speed_up(), 0.01);
}

TEST(Priced, RoundsAreLongWhereRowsAndStepsAreCheapAndShortWhereTheyAreExpensive) {
  const DraftSettings any = replayed({passes_of(1), 0, 0.5});
  const auto at = [&any](double row, double step) {
    return priced(any, {passes_of(row), 0, step});
  };
  EXPECT_EQ(at(0, 0).best().draft_length, 11);
  EXPECT_GT(at(0, 0).speed_up(), 2);
  EXPECT_EQ(at(0.8, 0.1).best().draft_length, 1);
  EXPECT_LT(at(0.8, 0.1).speed_up(), 1);
  EXPECT_LT(at(0, 0.9).speed_up(), 1) << "a draft model nearly as slow as its target";
  const int usual = at(0.05, 0.07).best().draft_length;
  EXPECT_GT(usual, 1);
  EXPECT_LT(usual, 11);
}

TEST(Priced, OfNoRoundsThatReachALengthNoneIsPaidFor) {
  DraftSettings settings = {0, 0, 0, 1, {0.9}, {1, 8}, {1.5, 1.5}, {0.5, 0.5}, {1, 1}};
  settings = priced(settings, {passes_of(1), 0, 0});
  EXPECT_DOUBLE_EQ(settings.tokens_per_second[0], 1);  // half of the rounds have a second row
  EXPECT_DOUBLE_EQ(settings.tokens_per_second[1], 1);
}

TEST(Priced, GridsTakeTheShapeOfTheirDrafts) {
  DraftGrid grid;
  grid.drafts = {0, 1, 4};
  grid.draft_lengths = {2};
  grid.tokens_per_pass = {1, 1.5, 3};
  grid.drafted_per_pass = {0, 2, 7.5};
  grid.tokens_per_second = {9, 9, 9};
  const DraftGrid expensive = priced(grid, passes_of(0.2));
  EXPECT_DOUBLE_EQ(expensive.tokens_per_second[0], 1);
  EXPECT_DOUBLE_EQ(expensive.tokens_per_second[1], 1.5 / 1.4);
  EXPECT_DOUBLE_EQ(expensive.tokens_per_second[2], 3 / (1 + 2 * 0.2 * 7.5));
  EXPECT_EQ(expensive.best_drafting().drafts, 1);
  EXPECT_EQ(priced(grid, passes_of(0.01)).best_drafting().drafts, 4);
}

}  // namespace
}  // namespace outrider::cost
