#include "calibrate/ngrams/grid_search.h"

#include <gtest/gtest.h>

#include "runtime/cli/interrupt.h"
#include "runtime/draft/ngram/ngrammys.h"

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
  EXPECT_EQ(grid_drafts(32), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 8, 10, 20, 25}));
  EXPECT_EQ(grid_drafts(5), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(grid_draft_lengths(), (std::vector<std::int32_t>{1, 2, 3, 4, 6, 8, 10, 12, 14}));
}

TEST(GridSearch, HoldsWhatReplayingWithEachSettingGives) {
  const auto answers = stepping(3);
  const auto seconds = [](int drafts, int rows) { return 1 + 0.01 * rows + 0.001 * drafts; };
  const auto grid = search_grid(answers, round_table(), seconds, go_on);
  ASSERT_EQ(grid.size(), 6u * 9u);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const auto cell = grid.cell(i);
    EXPECT_EQ(cell.drafts, grid.drafts[i / 9]);
    EXPECT_EQ(cell.draft_length, grid.draft_lengths[i % 9]);
    if (cell.drafts == 0) {
      EXPECT_EQ(cell.tokens_per_pass, 1);
      EXPECT_DOUBLE_EQ(cell.tokens_per_second, 1 / 1.01);
      continue;
    }
    draft::NGrammys drafter(round_table(),
                            {.drafts = cell.drafts, .draft_length = cell.draft_length});
    const Replay alone = replay(answers[0], &drafter);
    EXPECT_EQ(cell.tokens_per_pass, alone.tokens_per_pass());
    EXPECT_EQ(cell.drafted_per_pass, alone.drafted_per_pass());
    double all = 0;
    for (const auto& [drafted, passes] : alone.passes_by_drafted)
      all += static_cast<double>(passes) * seconds(cell.drafts, drafted + 1);
    EXPECT_DOUBLE_EQ(cell.tokens_per_second, 60 / all);
  }
}

TEST(GridSearch, PlainDecodingIsFasterWhereRowsAreExpensiveAndDraftsWhereTheyAreFree) {
  const auto answers = stepping(3);
  const auto expensive = search_grid(
      answers, round_table(), [](int, int rows) { return double(rows); }, go_on);
  EXPECT_EQ(expensive.best().drafts, 0);
  const auto free = search_grid(
      answers, round_table(), [](int, int) { return 1.0; }, go_on);
  EXPECT_GT(free.best().drafts, 0);
  EXPECT_GT(free.best().tokens_per_second, 1.5);
}

TEST(GridSearch, EndsOnRequest) {
  int told = 0;
  EXPECT_THROW(search_grid(
                   stepping(1), round_table(), [](int, int) { return 1.0; },
                   [&told](int done) { return (told = done) < 7; }),
               Interrupted);
  EXPECT_EQ(told, 7);
}

}  // namespace
}  // namespace outrider::calibrate
