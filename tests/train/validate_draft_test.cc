#include "train/draft/validate_draft.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/support/expect_input_error.h"
#include "tests/support/tiny_llama.h"
#include "tests/train/random_trace.h"
#include "train/draft/accepted_rounds.h"
#include "train/draft/frequent_tokens.h"

namespace outrider::train {
namespace {

using Flags = std::vector<std::uint8_t>;

TEST(AcceptedRounds, FollowEachOtherAsDecodingWould) {
  // Rounds of 2 begin at 0 (two accepted), 3 (none), 4 (one), 6 (one: the text ends).
  const std::vector<double> agrees = {1, 1, 0, 0, 1, 0, 1};
  const AcceptedRounds all = greedy_rounds(agrees, Flags(7, 1), 2);
  EXPECT_EQ(all.rounds, 4);
  EXPECT_EQ(all.accepted, 4);
  const AcceptedRounds some = greedy_rounds(agrees, Flags{0, 1, 1, 1, 1, 1, 1}, 2);
  EXPECT_EQ(some.rounds, 3);
  EXPECT_EQ(some.accepted, 2);
}

TEST(AcceptedRounds, AreExpectedFromEveryToken) {
  const std::vector<double> acceptance = {0.5, 0.25, 1};
  const AcceptedRounds found = expected_rounds(acceptance, Flags{1, 0, 1}, 2);
  EXPECT_EQ(found.rounds, 2);
  EXPECT_DOUBLE_EQ(found.accepted, 0.5 + 0.5 * 0.25 + 1);
}

TEST(FrequentTokens, AreThoseThatOccurMostWithTheEnd) {
  FrequentTokens frequent(10);
  data::Trace trace;
  trace.output_tokens = {7, 7, 3, 3, 5, 9, 9, 9};
  trace.in_loop = {0, 0, 0, 0, 0, 1, 1, 1};
  frequent.add(trace);
  const Token end = 8;
  EXPECT_EQ(frequent.choose(3, {&end, 1}), (std::vector<Token>{3, 7, 8}));
  EXPECT_EQ(frequent.choose(5, {&end, 1}), (std::vector<Token>{0, 3, 5, 7, 8}));
  test::expect_input_error([&] { frequent.choose(11, {}); }, "11 tokens", "0 to 10");
  EXPECT_DOUBLE_EQ(coverage({&trace, 1}, HeadRows(std::vector<Token>{3, 8, 9}, 10)), 0.4);
}

/// A draft of the whole target has the target's distribution: what is stored of it is what it predicts.
class ValidateDraft : public testing::Test {
 protected:
  ValidateDraft()
      : bytes_(test::tiny_llama_gguf({.layers = 1}, 4, model::WeightType::kF32)),
        target_(model::parse_model(bytes_, "tiny")) {}

  DraftModel draft(std::vector<Token> tokens) const {
    return DraftModel(target_, std::vector{1}, std::move(tokens), at::kFloat);
  }

  DraftModel whole() const {
    std::vector<Token> tokens(static_cast<std::size_t>(target_.config.vocab));
    std::iota(tokens.begin(), tokens.end(), 0);
    return draft(tokens);
  }

  /// A trace whose stored probabilities are those of the target.
  data::Trace true_trace(double temperature, std::uint64_t seed) const {
    const int vocab = target_.config.vocab;
    data::Trace trace = test::made_trace(6, 24, vocab, 32, temperature, seed);
    const at::NoGradGuard no_gradients;
    const DraftModel all = whole();
    const PackedBatch batch = pack({&trace, 1}, all.head_rows(), Predicted::kAll);
    const at::Tensor states = all.mapped(batch, Precision::kF32);
    const auto [best, ids] =
        at::linear(states.narrow(0, 0, 24), all.head()).log_softmax(-1).topk(32);
    for (std::int64_t i = 0; i < 24 * 32; ++i) {
      const auto at = static_cast<std::size_t>(i);
      trace.top_ids[at] = static_cast<Token>(ids.flatten()[i].item<std::int64_t>());
      trace.top_log_probs[at] = best.flatten()[i].item<float>();
    }
    return trace;
  }

  std::vector<std::byte> bytes_;
  model::Model target_;
};

std::map<std::string, double> figures_of(const Validation& validation) {
  return {validation.figures.begin(), validation.figures.end()};
}

TEST_F(ValidateDraft, OfTheTargetItselfIsPerfect) {
  const std::vector<data::Trace> traces = {true_trace(0, 2), true_trace(0, 3), true_trace(1, 4)};
  const Validation found = validate_draft(whole(), traces, 0);
  const auto figures = figures_of(found);
  EXPECT_EQ(figures.at("agreement"), 1);
  EXPECT_EQ(figures.at("agreement.even"), 1);
  EXPECT_EQ(figures.at("agreement.odd"), 1);
  EXPECT_EQ(figures.at("agreement_mean"), 1);
  EXPECT_EQ(figures.at("coverage"), 1);
  EXPECT_NEAR(figures.at("kl"), 0, 1e-5);
  // The stored tokens alone count for acceptance.
  EXPECT_GT(figures.at("acceptance"), 0.1);
  EXPECT_LT(figures.at("acceptance"), 1);
  EXPECT_NEAR(found.score, (figures.at("accepted_t0") + figures.at("accepted_t1")) / 2, 1e-12);
  // 24 tokens in rounds of 4 and one more: five rounds, those from the tokens in a loop not counted.
  EXPECT_NEAR(figures.at("accepted_t0"), 4, 1e-12);
}

TEST_F(ValidateDraft, LeavesTokensInLoopsOut) {
  std::vector<data::Trace> traces = {true_trace(0, 2), true_trace(1, 4)};
  const auto expected = figures_of(validate_draft(whole(), traces, 0));
  // There the target has other choices than the draft.
  for (data::Trace& trace : traces)
    for (std::ptrdiff_t i = 0; i < 24; ++i)
      if (trace.in_loop[static_cast<std::size_t>(i)] != 0) {
        const auto ids = trace.top_ids.begin() + 32 * i;
        std::rotate(ids, ids + 1, ids + 32);
      }
  const auto found = figures_of(validate_draft(whole(), traces, 0));
  for (const char* name : {"agreement", "agreement_mean", "agreement.even", "acceptance", "kl"})
    EXPECT_DOUBLE_EQ(found.at(name), expected.at(name)) << name;
}

TEST_F(ValidateDraft, CountsTokensWithoutARowAsMisses) {
  const std::vector<data::Trace> traces = {true_trace(0, 2)};
  const Validation found = validate_draft(draft({0, 1, 2}), traces, 0);
  std::int64_t low = 0, all = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    if (traces[0].in_loop[i] != 0) continue;
    ++all;
    low += traces[0].top_ids[i * 32] < 3;
  }
  EXPECT_LE(figures_of(found).at("agreement"),
            static_cast<double>(low) / static_cast<double>(all) + 1e-12);
  EXPECT_LT(figures_of(found).at("coverage"), 0.2);
}

}  // namespace
}  // namespace outrider::train
