#include "calibrate/pld_plus/choose_lengths.h"

#include <gtest/gtest.h>

#include <numeric>

namespace outrider::calibrate {
namespace {

/// An answer that repeats its prompt of `length` tokens whole, or with another last half. At each position the
/// source is the token's position in the prompt, with the higher score the more tokens of it are right.
void add_answer(CopyTable& table, const std::string& id, int length, bool whole) {
  Answer answer{id, "t", {}, length};
  for (int i = 0; i < length; ++i) answer.tokens.push_back(i);
  for (int i = 0; i < length; ++i) answer.tokens.push_back(whole || i < length / 2 ? i : 1000 + i);
  table.begin(answer);
  const float score = whole ? 0.9F : 0.1F;
  for (int i = 0; i + 1 < length; ++i) {
    if (whole || i < length / 2) table.note(0, std::vector<draft::RankedSource>{{i, score}});
    if (!whole && i >= length / 2) table.note(0, {});
  }
}

TEST(CountLengths, CountsTheCorrectTokensOfTheSourceAtEveryPosition) {
  CopyTable table(1);
  add_answer(table, "p", 20, true);
  add_answer(table, "q", 8, false);
  const draft::PldPlusLengths found = count_lengths(table);
  ASSERT_EQ(found.score_bounds.size(), 7U);
  const std::size_t longest = found.accepted.size() / found.sources.size();
  ASSERT_EQ(longest, 32U);
  EXPECT_EQ(std::accumulate(found.sources.begin(), found.sources.end(), std::int64_t{0}), 19 + 4);
  std::vector<std::int64_t> correct(longest, 0);
  for (std::size_t i = 0; i < found.accepted.size(); ++i) correct[i % longest] += found.accepted[i];
  // Token i of 20 is followed by 19 - i that are generated again, token i of four by 3 - i.
  for (int n = 1; n <= 32; ++n) {
    EXPECT_EQ(correct[static_cast<std::size_t>(n - 1)], std::max(0, 20 - n) + std::max(0, 4 - n))
        << n;
  }
  // The four of the lowest score, by the number of tokens that match: one, two, three, four.
  const std::size_t columns = found.match_bounds.size() + 1;
  EXPECT_EQ(found.match_bounds, (std::vector<std::int32_t>{2, 3, 4, 6, 10}));
  std::vector<std::int64_t> sources(columns, 0);
  for (std::size_t i = 0; i < found.sources.size(); ++i) sources[i % columns] += found.sources[i];
  EXPECT_EQ(sources, (std::vector<std::int64_t>{2, 2, 2, 3, 4, 10}));
  EXPECT_EQ(found.sources[found.class_of(0.1F, 1)], 1);
}

TEST(CountLengths, LooksAtNothingInALoopAndNotIntoOne) {
  Answer answer{"p", "t", {}, 20};
  for (int i = 0; i < 40; ++i) answer.tokens.push_back(i % 20);
  answer.in_loop.assign(20, 0);
  std::fill_n(answer.in_loop.begin() + 10, 5, std::uint8_t{1});
  CopyTable table(1);
  table.begin(answer);
  for (int i = 0; i < 19; ++i) table.note(0, std::vector<draft::RankedSource>{{i, 0.5F}});
  const draft::PldPlusLengths found = count_lengths(table);
  EXPECT_EQ(std::accumulate(found.sources.begin(), found.sources.end(), std::int64_t{0}), 9 + 5);
  std::int64_t three = 0;  // positions after which three tokens are generated again
  for (std::size_t i = 2; i < found.accepted.size(); i += 32) three += found.accepted[i];
  EXPECT_EQ(three, 7 + 3);
}

TEST(ChooseLengths, ComparesOnTheHalfThatWasNotCounted) {
  CopyTable table(1);
  // Some sources are right for many tokens and are known by their score: a fixed length is a compromise.
  for (const auto& [id, whole] : {std::pair{"1", 3}, {"2", 4}}) {
    for (int i = 0; i < whole; ++i) add_answer(table, id, 24, true);
    for (int i = 0; i < 30; ++i) add_answer(table, id, 4, false);
  }
  const auto pass_seconds = [](int rows) { return 0.5 + 0.5 * rows; };
  const auto found = choose_lengths(table, {-1}, 3, pass_seconds);
  ASSERT_TRUE(found);
  EXPECT_GT(found->tokens_per_second, found->fixed_tokens_per_second);
  EXPECT_EQ(found->seconds.size(), 33U);
  EXPECT_EQ(found->seconds[4], pass_seconds(5));
  const CopyTable held_out = table.halves()[1];
  const CopyDrafting by_step = {
      .lengths = std::make_shared<draft::DraftLengths>(*found, found->seconds, 3)};
  EXPECT_NEAR(found->tokens_per_second, predicted_rate(held_out.replay(0, by_step), pass_seconds),
              1e-9);
  double best = 0;
  for (int length = 1; length <= 100; ++length)
    best = std::max(best, predicted_rate(held_out.replay(0, {length}), pass_seconds));
  EXPECT_NEAR(found->fixed_tokens_per_second, best, 1e-9);
  // One prompt has no other half.
  CopyTable alone(1);
  add_answer(alone, "1", 24, true);
  EXPECT_FALSE(choose_lengths(alone, {-1}, 3, pass_seconds));
}

TEST(CopyTable, HalvesTakePromptsInTurnWithAllTheirAnswers) {
  CopyTable table(2);
  for (const auto& [id, length] : {std::pair{"a", 10}, {"b", 20}, {"a", 12}, {"c", 14}}) {
    table.begin({id, "t", std::vector<Token>(static_cast<std::size_t>(length), 1), 4});
    for (std::size_t ranking : {0U, 1U})
      for (int i = 4; i + 1 < length; ++i) table.note(ranking, {});
  }
  const auto tokens = [](const CopyTable& of) { return of.replay(0, {}).tokens; };
  EXPECT_EQ(tokens(table), 5 + 15 + 7 + 9);
  EXPECT_EQ(tokens(table.halves()[0]), 5 + 7 + 9);
  EXPECT_EQ(tokens(table.halves()[1]), 15);
  EXPECT_EQ(table.halves()[1].rankings(), 2U);
  EXPECT_EQ(table.only(1).rankings(), 1U);
}

}  // namespace
}  // namespace outrider::calibrate
