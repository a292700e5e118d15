#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "runtime/sampling/sampler.h"
#include "tests/sampling/straightforward_sampler.h"
#include "tests/support/binomial_bound.h"

namespace outrider::sampling {
namespace {

// Every share below is compared with its exact probability within a bound that a correct sampler exceeds
// with probability 1e-10. This file has fewer than 1000 shares, so it fails by chance for less than one
// in 10^7 choices of its fixed seeds.
constexpr double kFailure = 1e-10;
constexpr int kDraws = 100'000;
constexpr int kVocab = 12;

const std::vector<float> kLogits = {0.3f, 2.0f, -1.0f, 1.2f,  1.2f, -0.5f,
                                    0.0f, 0.9f, -3.0f, -0.2f, 1.7f, 0.6f};

TokenCounts some_counts() {
  const std::vector<Token> prompt = {1, 3, 3, 8};
  TokenCounts counts(prompt);
  for (const Token token : {3, 10, 10, 7}) counts.add(token);
  return counts;
}

std::string describe(const testing::TestParamInfo<std::pair<const char*, SamplerOptions>>& info) {
  return info.param.first;
}

class EveryOption : public testing::TestWithParam<std::pair<const char*, SamplerOptions>> {};

TEST_P(EveryOption, IsHonouredExactly) {
  const SamplerOptions& options = GetParam().second;
  const TokenCounts counts = some_counts();
  const test::Distribution exact = test::exact_distribution(kLogits, options, counts);
  ASSERT_GT(exact.margin, 1e-6);
  std::vector<int> chosen(kVocab);
  for (int i = 0; i < kDraws; ++i) {
    Sampler sampler(options, kVocab, sequence_seed(static_cast<std::uint64_t>(i), "p", 0, 0));
    ++chosen[static_cast<std::size_t>(sampler.choose(kLogits, 5, counts))];
  }
  for (std::size_t token = 0; token < kVocab; ++token) {
    const double p = exact.probabilities[token];
    if (p == 0) {
      EXPECT_EQ(chosen[token], 0) << "token " << token << " was dropped";
      continue;
    }
    EXPECT_NEAR(static_cast<double>(chosen[token]) / kDraws, p,
                test::binomial_bound(p, kDraws, kFailure))
        << "token " << token;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options, EveryOption,
    testing::Values(
        std::pair{"Temperature1", SamplerOptions{.temperature = 1}},
        std::pair{"LowTemperature", SamplerOptions{.temperature = 0.3}},
        std::pair{"HighTemperature", SamplerOptions{.temperature = 5}},
        std::pair{"TopK", SamplerOptions{.temperature = 1, .top_k = 4}},
        std::pair{"TopKAtATie", SamplerOptions{.temperature = 1, .top_k = 3}},
        std::pair{"TopP", SamplerOptions{.temperature = 1, .top_p = 0.7}},
        std::pair{"TopPAtALowTemperature", SamplerOptions{.temperature = 0.5, .top_p = 0.7}},
        std::pair{"MinP", SamplerOptions{.temperature = 1, .min_p = 0.2}},
        std::pair{"RepetitionPenalty", SamplerOptions{.temperature = 1, .repetition_penalty = 1.5}},
        std::pair{"RepetitionReward", SamplerOptions{.temperature = 1, .repetition_penalty = 0.7}},
        std::pair{"PresencePenalty", SamplerOptions{.temperature = 1, .presence_penalty = 0.8}},
        std::pair{"FrequencyPenalty", SamplerOptions{.temperature = 1, .frequency_penalty = 0.6}},
        std::pair{"Bias", SamplerOptions{.temperature = 1, .logit_bias = {{8, 4.0}, {1, -1.0}}}},
        std::pair{"TopKThenTopP", SamplerOptions{.temperature = 0.8, .top_k = 5, .top_p = 0.8}},
        std::pair{"TopPThenMinP", SamplerOptions{.temperature = 0.8, .top_p = 0.9, .min_p = 0.3}},
        std::pair{"Everything", SamplerOptions{.temperature = 0.7,
                                               .top_k = 8,
                                               .top_p = 0.93,
                                               .min_p = 0.02,
                                               .repetition_penalty = 1.2,
                                               .presence_penalty = 0.3,
                                               .frequency_penalty = 0.2,
                                               .logit_bias = {{8, 2.5}, {2, 1.0}}}}),
    describe);

/// A choice among four tokens.
Token choose_of_four(std::uint64_t seed, std::int64_t position) {
  const std::vector<float> logits = {0.0f, 0.5f, -0.5f, 1.0f};
  Sampler sampler({.temperature = 1}, 4, seed);
  return sampler.choose(logits, position, TokenCounts({}));
}

/// Checks that the two choices, for `i` from 0 to kDraws, are independent.
template <typename First, typename Second>
void expect_independent(First first, Second second) {
  const std::vector<float> logits = {0.0f, 0.5f, -0.5f, 1.0f};
  const auto p =
      test::exact_distribution(logits, {.temperature = 1}, TokenCounts({})).probabilities;
  std::map<std::pair<Token, Token>, int> pairs;
  for (int i = 0; i < kDraws; ++i) ++pairs[{first(i), second(i)}];
  for (Token a = 0; a < 4; ++a) {
    for (Token b = 0; b < 4; ++b) {
      const double joint = p[static_cast<std::size_t>(a)] * p[static_cast<std::size_t>(b)];
      EXPECT_NEAR(static_cast<double>(pairs[{a, b}]) / kDraws, joint,
                  test::binomial_bound(joint, kDraws, kFailure))
          << "tokens " << a << " and " << b;
    }
  }
}

std::uint64_t seed_of(int seed, const char* prompt = "p", int turn = 0, int sample = 0) {
  return sequence_seed(static_cast<std::uint64_t>(seed), prompt, turn, sample);
}

TEST(SamplerIndependence, HoldsBetweenPositionsOfASequence) {
  expect_independent([](int i) { return choose_of_four(seed_of(i), 7); },
                     [](int i) { return choose_of_four(seed_of(i), 8); });
  expect_independent([](int i) { return choose_of_four(seed_of(1), 2 * i); },
                     [](int i) { return choose_of_four(seed_of(1), 2 * i + 1); });
}

TEST(SamplerIndependence, HoldsBetweenSeedsPromptsTurnsAndSamples) {
  expect_independent([](int i) { return choose_of_four(seed_of(2 * i), 7); },
                     [](int i) { return choose_of_four(seed_of(2 * i + 1), 7); });
  expect_independent([](int i) { return choose_of_four(seed_of(i, "a"), 7); },
                     [](int i) { return choose_of_four(seed_of(i, "b"), 7); });
  expect_independent([](int i) { return choose_of_four(seed_of(i, "a", 0), 7); },
                     [](int i) { return choose_of_four(seed_of(i, "a", 1), 7); });
  expect_independent([](int i) { return choose_of_four(seed_of(0, "a", 0, 2 * i), 7); },
                     [](int i) { return choose_of_four(seed_of(0, "a", 0, 2 * i + 1), 7); });
}

TEST(SequenceSeed, IsAHashOfEveryPart) {
  EXPECT_EQ(seed_of(1, "a", 2, 3), seed_of(1, "a", 2, 3));
  EXPECT_NE(seed_of(1, "a", 2, 3), seed_of(2, "a", 2, 3));
  EXPECT_NE(seed_of(1, "a", 2, 3), seed_of(1, "b", 2, 3));
  EXPECT_NE(seed_of(1, "a", 2, 3), seed_of(1, "a", 3, 3));
  EXPECT_NE(seed_of(1, "a", 2, 3), seed_of(1, "a", 2, 4));
  EXPECT_NE(seed_of(1, "a", 2, 3), seed_of(1, "a", 3, 2));
}

}  // namespace
}  // namespace outrider::sampling
