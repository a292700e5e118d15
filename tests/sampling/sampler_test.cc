#include "runtime/sampling/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "runtime/sampling/arg_max.h"

namespace outrider::sampling {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<float> logs(std::initializer_list<double> probabilities) {
  std::vector<float> out;
  for (const double p : probabilities) out.push_back(static_cast<float>(std::log(p)));
  return out;
}

Token choose(const std::vector<float>& logits, const SamplerOptions& options,
             const TokenCounts& counts = TokenCounts({}), std::int64_t position = 0) {
  return Sampler(options, static_cast<int>(logits.size()), 1).choose(logits, position, counts);
}

/// The tokens chosen at 2000 positions: a token of probability 2 % is missing with probability 3e-18.
std::set<Token> all_chosen(const std::vector<float>& logits, const SamplerOptions& options) {
  Sampler sampler(options, static_cast<int>(logits.size()), 1);
  std::set<Token> chosen;
  for (std::int64_t position = 0; position < 2000; ++position)
    chosen.insert(sampler.choose(logits, position, TokenCounts({})));
  return chosen;
}

TokenCounts counts_of(std::vector<Token> prompt, std::vector<Token> text) {
  TokenCounts counts(prompt);
  for (const Token token : text) counts.add(token);
  return counts;
}

using Tokens = std::set<Token>;

TEST(TokenCounts, TellsThePromptFromTheText) {
  const TokenCounts counts = counts_of({5, 4, 4}, {5, 3, 3});
  ASSERT_EQ(counts.counts().size(), 3u);
  EXPECT_EQ(counts.counts()[0].token, 3);
  EXPECT_FALSE(counts.counts()[0].in_prompt);
  EXPECT_EQ(counts.counts()[0].in_text, 2);
  EXPECT_EQ(counts.counts()[1].token, 4);
  EXPECT_TRUE(counts.counts()[1].in_prompt);
  EXPECT_EQ(counts.counts()[1].in_text, 0);
  EXPECT_EQ(counts.counts()[2].token, 5);
  EXPECT_TRUE(counts.counts()[2].in_prompt);
  EXPECT_EQ(counts.counts()[2].in_text, 1);
}

TEST(ArgMax, GivesTiesToTheLowestId) {
  for (const std::size_t size : {1u, 5u, 16u, 33u, 100u}) {
    for (std::size_t first = 0; first < size; ++first) {
      std::vector<float> logits(size, -1.0f);
      for (std::size_t i = first; i < size; i += 3) logits[i] = 2.0f;
      EXPECT_EQ(arg_max(logits), static_cast<Token>(first)) << "of " << size;
    }
  }
  EXPECT_EQ(arg_max(std::vector<float>{-0.0f, 0.0f}), 0);
  EXPECT_EQ(arg_max(std::vector<double>{1.0, 1.0 + 1e-15}), 1);
}

TEST(ArgMax, RefusesWhatIsNoLogit) {
  for (const std::size_t size : {1u, 16u, 40u}) {
    for (std::size_t at = 0; at < size; ++at) {
      std::vector<float> logits(size, 1.0f);
      logits[at] = kNaN;
      EXPECT_THROW(arg_max(logits), std::logic_error) << at << " of " << size;
      logits[at] = kInfinity;
      EXPECT_THROW(arg_max(logits), std::logic_error) << at << " of " << size;
    }
    EXPECT_THROW(arg_max(std::vector<float>(size, -kInfinity)), std::logic_error);
  }
  EXPECT_THROW(arg_max(std::span<const float>()), std::logic_error);
}

TEST(Sampler, TakesTheLargestLogitAtTemperatureZero) {
  EXPECT_EQ(choose({1, 3, 2, 3}, {}), 1);
  // Filters keep the best token, so they change nothing.
  EXPECT_EQ(choose({1, 3, 2, 3}, {.top_k = 1, .top_p = 0.1, .min_p = 1}), 1);
}

TEST(Sampler, TakesTheLargestLogitAtTheSmallestTemperatures) {
  for (const double temperature : {1e-3, 1e-300, 5e-324}) {
    for (const double top_p : {1.0, 0.9})
      EXPECT_EQ(all_chosen({-5, 3, 2, -kInfinity}, {.temperature = temperature, .top_p = top_p}),
                Tokens{1})
          << "T " << temperature;
  }
}

TEST(Sampler, NeverChoosesMinusInfinity) {
  const std::vector<float> logits = {-kInfinity, 0, -kInfinity, 0, -kInfinity};
  EXPECT_EQ(all_chosen(logits, {.temperature = 100}), (Tokens{1, 3}));
  EXPECT_EQ(all_chosen(logits, {.temperature = 100, .top_k = 4}), (Tokens{1, 3}));
  EXPECT_EQ(all_chosen(logits, {.temperature = 100, .top_p = 0.99999}), (Tokens{1, 3}));
  EXPECT_EQ(all_chosen(logits, {.temperature = 100, .min_p = 1e-9}), (Tokens{1, 3}));
}

TEST(Sampler, RefusesLogitsThatAreNone) {
  for (const double temperature : {0.0, 1.0}) {
    EXPECT_THROW(choose({1, kNaN}, {.temperature = temperature}), std::logic_error);
    EXPECT_THROW(choose({1, kInfinity}, {.temperature = temperature}), std::logic_error);
    EXPECT_THROW(choose({-kInfinity, -kInfinity}, {.temperature = temperature}), std::logic_error);
  }
  Sampler sampler({}, 3, 1);
  EXPECT_THROW(sampler.choose(std::vector<float>{1, 2}, 0, TokenCounts({})), std::logic_error);
}

TEST(Sampler, PenalisesRepetitionInPromptAndTextOnce) {
  // In the prompt, in the text, in both, repeatedly: 4 / 2 = 2, below 2.5.
  for (const TokenCounts& counts :
       {counts_of({0}, {}), counts_of({}, {0}), counts_of({0, 0, 0}, {0, 0, 0})}) {
    EXPECT_EQ(choose({4, 2.5f}, {.repetition_penalty = 2}, counts), 1);
    EXPECT_EQ(choose({4, 1.5f}, {.repetition_penalty = 2}, counts), 0);
  }
  // Below 0 it multiplies: -1 * 2 = -2.
  EXPECT_EQ(choose({-1, -1.9f}, {.repetition_penalty = 2}, counts_of({0}, {})), 1);
  EXPECT_EQ(choose({-1, -2.1f}, {.repetition_penalty = 2}, counts_of({0}, {})), 0);
}

TEST(Sampler, PenalisesPresenceInTheTextOnce) {
  EXPECT_EQ(choose({4, 3.5f}, {.presence_penalty = 1}, counts_of({0}, {})), 0);
  EXPECT_EQ(choose({4, 3.5f}, {.presence_penalty = 1}, counts_of({}, {0})), 1);
  EXPECT_EQ(choose({4, 2.5f}, {.presence_penalty = 1}, counts_of({}, {0, 0, 0})), 0);
}

TEST(Sampler, PenalisesFrequencyForEveryOccurrenceInTheText) {
  EXPECT_EQ(choose({4, 3.5f}, {.frequency_penalty = 1}, counts_of({0, 0}, {})), 0);
  EXPECT_EQ(choose({4, 1.5f}, {.frequency_penalty = 1}, counts_of({}, {0, 0})), 0);
  EXPECT_EQ(choose({4, 1.5f}, {.frequency_penalty = 1}, counts_of({}, {0, 0, 0})), 1);
}

TEST(Sampler, AppliesTheRepetitionPenaltyFirst) {
  // 4 / 2 - 1 = 1; in the other order it would be 1.5.
  const SamplerOptions options = {.repetition_penalty = 2, .presence_penalty = 1};
  EXPECT_EQ(choose({4, 1.2f}, options, counts_of({}, {0})), 1);
  EXPECT_EQ(choose({4, 0.8f}, options, counts_of({}, {0})), 0);
}

TEST(Sampler, AddsTheBiasAfterThePenalties) {
  // 4 / 2 + 2 = 4; in the other order it would be 3.
  const SamplerOptions options = {.repetition_penalty = 2, .logit_bias = {{0, 2.0}}};
  EXPECT_EQ(choose({4, 3.9f}, options, counts_of({0}, {})), 0);
  EXPECT_EQ(choose({4, 4.1f}, options, counts_of({0}, {})), 1);
}

TEST(Sampler, KeepsTheKMostLikely) {
  const auto logits = logs({0.1, 0.4, 0.2, 0.3});
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_k = 1}), Tokens{1});
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_k = 3}), (Tokens{1, 2, 3}));
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_k = 9}), (Tokens{0, 1, 2, 3}));
  // On a tie the lowest ids.
  EXPECT_EQ(all_chosen({0, 0, 1, 0, 0}, {.temperature = 1, .top_k = 3}), (Tokens{0, 1, 2}));
}

TEST(Sampler, KeepsTheSmallestSetWithProbabilityP) {
  const auto logits = logs({0.1, 0.4, 0.2, 0.3});
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_p = 0.39}), Tokens{1});
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_p = 0.41}), (Tokens{1, 3}));
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_p = 0.69}), (Tokens{1, 3}));
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_p = 0.71}), (Tokens{1, 2, 3}));
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_p = 0}), Tokens{1});
  // On a tie the lowest ids, and no more than needed: 0.5 of 1 are two of four quarters.
  EXPECT_EQ(all_chosen({0, 0, 0, 0}, {.temperature = 1, .top_p = 0.5}), (Tokens{0, 1}));
}

TEST(Sampler, KeepsTokensWithAShareOfTheBest) {
  const auto logits = logs({0.1, 0.4, 0.2, 0.3});
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .min_p = 0.76}), Tokens{1});
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .min_p = 0.74}), (Tokens{1, 3}));
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .min_p = 0.26}), (Tokens{1, 2, 3}));
  EXPECT_EQ(all_chosen({1, 0, 1, 0.99f}, {.temperature = 1, .min_p = 1}), (Tokens{0, 2}));
}

TEST(Sampler, AppliesTheTemperatureBeforeTheFilters) {
  // 0.64, 0.32, 0.04 at T = 2 are 0.8 : 0.566 : 0.2 = 0.511, 0.361, 0.128.
  const auto logits = logs({0.64, 0.32, 0.04});
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_p = 0.6}), Tokens{0});
  EXPECT_EQ(all_chosen(logits, {.temperature = 2, .top_p = 0.6}), (Tokens{0, 1}));
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .min_p = 0.2}), (Tokens{0, 1}));
  EXPECT_EQ(all_chosen(logits, {.temperature = 2, .min_p = 0.2}), (Tokens{0, 1, 2}));
}

TEST(Sampler, AppliesTopPToWhatTopKLeaves) {
  // Among 0.4 and 0.3 the first has 0.571.
  const auto logits = logs({0.1, 0.4, 0.2, 0.3});
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_p = 0.5}), (Tokens{1, 3}));
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_k = 2, .top_p = 0.5}), Tokens{1});
}

TEST(Sampler, AppliesMinPToWhatTopPLeaves) {
  // If 0.1 were dropped first, 0.4 and 0.3 would be 0.78 of the rest.
  const auto logits = logs({0.1, 0.4, 0.2, 0.3});
  EXPECT_EQ(all_chosen(logits, {.temperature = 1, .top_p = 0.75, .min_p = 0.3}), (Tokens{1, 2, 3}));
}

TEST(Sampler, ChoosesTheSameAgain) {
  const std::vector<float> logits = {0, 0, 0, 0, 0, 0, 0, 0};
  Sampler one({.temperature = 1}, 8, 5), two({.temperature = 1}, 8, 5),
      other({.temperature = 1}, 8, 6);
  int different = 0;
  for (std::int64_t position = 200; position-- > 0;) {
    const Token token = one.choose(logits, position, TokenCounts({}));
    EXPECT_EQ(two.choose(logits, position, TokenCounts({})), token);
    EXPECT_EQ(one.choose(logits, position, TokenCounts({})), token);
    different += other.choose(logits, position, TokenCounts({})) != token;
  }
  EXPECT_GT(different, 100);
}

}  // namespace
}  // namespace outrider::sampling
