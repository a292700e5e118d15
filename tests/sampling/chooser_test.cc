#include "runtime/sampling/chooser.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "runtime/sampling/token_choice.h"
#include "tests/support/tiny_engine.h"

namespace outrider::sampling {
namespace {

constexpr int kTop = 7;

class ChooserTest : public testing::Test {
 protected:
  ChooserTest() { fill(kRows); }

  /// Random rows, with more on the host between them that belong to none.
  void fill(int rows) {
    std::mt19937_64 random(5);
    const std::size_t stride = static_cast<std::size_t>(vocab_) + 3;
    float* const all = logits_.on_host(rows, vocab_, stride);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows) * stride; ++i)
      all[i] = static_cast<float>(random() % 2001) / 100 - 10;
  }

  /// One sequence for each row.
  SequenceSampling sampling(const SamplerOptions& options, int row) {
    return {options, static_cast<std::uint64_t>(row), counts_};
  }

  static constexpr int kRows = 23;
  test::TinyEngine target_{model::WeightType::kF32, 1, 3};
  int vocab_ = target_.engine.num_logits();
  engine::Logits logits_;
  TokenCounts counts_{std::vector<Token>{5, 6}};
};

TEST_F(ChooserTest, AnswersEveryRowAsOneAloneWould) {
  const auto chooser = make_chooser(target_.engine, kTop);
  TokenChoice choice(vocab_);
  RowScorer scorer(kTop, vocab_, target_.engine.score_kernels());
  for (const SamplerOptions& options :
       {SamplerOptions{}, SamplerOptions{.temperature = 1}, SamplerOptions{.repetition_penalty = 2},
        test::every_sampler_option()}) {
    std::vector<RowScores> scores(kRows);
    std::vector<AskedRow> asked;
    for (int row = kRows - 1; row >= 0; --row)  // in any order
      asked.push_back({.row = row,
                       .position = 10 + row,
                       .sampling = sampling(options, row),
                       .scores = row % 3 == 0 ? nullptr : &scores[static_cast<std::size_t>(row)]});
    chooser->answer(logits_, asked);
    for (const AskedRow& one : asked) {
      const Token expected =
          choice.choose(sampling(options, one.row), logits_.row(one.row), one.position);
      EXPECT_EQ(one.token, expected) << one.row;
      EXPECT_EQ(chooser->choose(logits_, one.row, sampling(options, one.row), one.position),
                expected);
      if (one.scores == nullptr) continue;
      RowScores alone;
      scorer.score(logits_.row(one.row), alone);
      EXPECT_EQ(one.scores->ids, alone.ids);
      EXPECT_EQ(one.scores->log_probs, alone.log_probs);
      EXPECT_EQ(one.scores->entropy, alone.entropy);
      EXPECT_EQ(one.scores->outside, alone.outside);
    }
  }
}

TEST_F(ChooserTest, LeavesTheTokenOfARowThatIsScoredOnly) {
  const auto chooser = make_chooser(target_.engine, kTop);
  RowScores scores;
  AskedRow asked = {.row = 1, .scores = &scores, .token = 77};
  chooser->answer(logits_, {&asked, 1});
  EXPECT_EQ(asked.token, 77);
  EXPECT_EQ(scores.ids.size(), static_cast<std::size_t>(kTop));
  chooser->answer(logits_, {});
}

/// From the first logits of a row, which are of other tokens than their numbers.
TEST_F(ChooserTest, ReadsRowsOfATrimmedHead) {
  const std::vector<Token> tokens = {2, 5, 6, 90, 91, 300};
  const auto chooser = make_draft_chooser(
      target_.engine, HeadVocabulary(tokens, static_cast<int>(tokens.size()), 400), 3);
  const engine::LogitsRow row = {&logits_, 4};
  const std::span<const float> logits = logits_.row(4).first(tokens.size());
  EXPECT_EQ(chooser->row(row).data(), logits.data());
  EXPECT_EQ(chooser->row(row).size(), tokens.size());
  EXPECT_EQ(chooser->logit(row, 90), logits[3]);

  const SamplerOptions options = {.temperature = 1, .repetition_penalty = 2};
  TokenChoice choice(tokens);
  Distribution found, expected;
  chooser->distribute(row, sampling(options, 4), found);
  choice.distribute(sampling(options, 4), logits, expected);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_EQ(found.probabilities, expected.probabilities);

  const DraftQuestion question = {
      .row = 4, .position = 8, .choice = DraftQuestion::Choice::kTokenAndLead, .wants_best = true};
  DraftAnswer answer;
  chooser->answer(logits_, sampling(options, 4), {&question, 1}, {&answer, 1});
  const ChosenToken chosen = choice.choose_with_lead(sampling(options, 4), logits, 8);
  EXPECT_EQ(answer.chosen.token, chosen.token);
  EXPECT_EQ(answer.chosen.lead, chosen.lead);
  EXPECT_EQ(answer.logit, chooser->logit(row, chosen.token));
  EXPECT_EQ(answer.sums.best.size(), 3u);
}

TEST_F(ChooserTest, RefusesWhatItCannotAnswer) {
  RowScores scores;
  AskedRow scored = {.scores = &scores};
  const auto without = make_chooser(target_.engine);
  EXPECT_THROW(without->answer(logits_, {&scored, 1}), std::logic_error);
  EXPECT_THROW(without->choose(logits_, kRows, SequenceSampling::greedy(), 0), std::logic_error);
  const DraftQuestion summed;
  DraftAnswer answer;
  EXPECT_THROW(without->answer(logits_, SequenceSampling::greedy(), {&summed, 1}, {&answer, 1}),
               std::logic_error);
  EXPECT_FALSE(without->drafts_ahead());
  // On whichever thread.
  logits_.on_host(kRows, vocab_, static_cast<std::size_t>(vocab_) + 3)[0] =
      std::numeric_limits<float>::quiet_NaN();
  std::vector<AskedRow> asked;
  for (int row = 0; row < kRows; ++row)
    asked.push_back({.row = row, .sampling = SequenceSampling::greedy()});
  EXPECT_THROW(without->answer(logits_, asked), std::logic_error);
}

}  // namespace
}  // namespace outrider::sampling
