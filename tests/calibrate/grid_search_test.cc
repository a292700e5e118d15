#include "calibrate/ngrammys/grid_search.h"

#include <gtest/gtest.h>

#include <tuple>

#include "runtime/cli/interrupt.h"
#include "runtime/draft/ngram/ngrammys_drafter.h"
#include "tests/support/some_trials.h"

namespace outrider::calibrate {
namespace {

/// A table of eight tokens: after t come t + 1, t + 2 and so on, round about.
draft::TablesPtr round_table() {
  auto tables = std::make_shared<draft::NgramTables>();
  tables->top = 5;
  for (Token t = 0; t < 8; ++t) {
    tables->unigram.push_back(t);
    for (int rank = 0; rank < tables->top; ++rank) tables->next.push_back((t + 1 + rank) % 8);
  }
  tables->log_probs.resize(tables->next.size(), -1);
  return tables;
}

/// Goes on by `step` and twice by one: the table's row of that rank, extended, is right.
std::vector<Answer> stepping(int step) {
  Answer answer{"p", "t", {0}, 1};
  for (int i = 1; i <= 61; ++i)
    answer.tokens.push_back((answer.tokens.back() + (i % 3 == 1 ? 1 : i % 3 == 2 ? step : 1)) % 8);
  return {answer};
}

bool go_on(int) { return true; }

TEST(GridSearch, TriesEveryKAndWThatTheTableHas) {
  EXPECT_EQ(grid_drafts(32), (std::vector<int>{1, 2, 3, 4, 5, 8, 10, 20, 25}));
  EXPECT_EQ(grid_drafts(5), (std::vector<int>{1, 2, 3, 4, 5}));
  EXPECT_EQ(grid_draft_lengths(), (std::vector<int>{1, 2, 3, 4, 6, 8, 10, 12, 14}));
}

TEST(GridSearch, CountsWhatReplayingWithEachSettingGives) {
  std::vector<Answer> answers = stepping(3);
  answers[0].sampler.temperature = 0.5;
  const cost::TemperatureTrials grid = search_grid(answers, round_table(), go_on);
  EXPECT_EQ(grid.temperature, 0.5);
  EXPECT_EQ(grid.positions, 60) << "the prefill gives the first token";
  ASSERT_EQ(grid.trials.size(), 5U * 9U);
  for (std::size_t i = 0; i < grid.trials.size(); ++i) {
    const cost::Trial& trial = grid.trials[i];
    const int drafts = grid_drafts(5)[i / 9], length = grid_draft_lengths()[i % 9];
    EXPECT_EQ(trial.settings,
              (cost::SettingValues{{"drafts", 1.0 * drafts}, {"draft-length", 1.0 * length}}));
    EXPECT_EQ(trial.shape, drafts == 1 ? cost::Shape::kChain : cost::Shape::kTree);
    draft::NGrammys drafter(round_table(), {.drafts = drafts, .draft_length = length});
    const Replay alone = replay(answers[0], &drafter);
    EXPECT_EQ(std::tuple(trial.rounds, trial.tokens, trial.drafted),
              std::tuple(alone.passes, alone.tokens, alone.drafted));
    EXPECT_EQ(trial.drafting.passes(), 0);
    const auto seconds = [](int rows) { return 1 + 0.01 * rows; };
    EXPECT_DOUBLE_EQ(trial.verified.seconds(seconds), predicted_seconds(alone, seconds));
  }
}

TEST(GridSearch, PlainDecodingIsFasterWhereRowsAreExpensiveAndDraftsWhereTheyAreFree) {
  cost::TemperatureTrials grid = search_grid(stepping(3), round_table(), go_on);
  const auto best = [&](double row) {
    grid.price({cost::CostModel(test::some_passes(row, row)), 0, {}, {}});
    return grid.speed_up(*grid.best(kGridNames, {}, {}));
  };
  EXPECT_LT(best(1), 1);
  EXPECT_GT(best(0), 1.5);
}

TEST(GridSearch, EndsOnRequest) {
  int told = 0;
  EXPECT_THROW(
      search_grid(stepping(1), round_table(), [&told](int done) { return (told = done) < 7; }),
      Interrupted);
  EXPECT_EQ(told, 7);
}

}  // namespace
}  // namespace outrider::calibrate
