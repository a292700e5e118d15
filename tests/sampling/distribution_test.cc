#include "runtime/sampling/distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "runtime/sampling/token_choice.h"
#include "tests/sampling/straightforward_sampler.h"
#include "tests/support/binomial_bound.h"

namespace outrider::sampling {
namespace {

constexpr std::uint64_t kSeed = 5;

/// Options of every kind, with and without filters.
const std::vector<SamplerOptions>& options_of_all_kinds() {
  static const std::vector<SamplerOptions> all = {{.temperature = 1},
                                                  {.temperature = 0.3},
                                                  {.temperature = 1, .top_k = 3},
                                                  {.temperature = 0.7, .top_p = 0.7},
                                                  {.temperature = 1, .min_p = 0.2},
                                                  {.temperature = 0.8,
                                                   .top_k = 7,
                                                   .top_p = 0.9,
                                                   .min_p = 0.05,
                                                   .repetition_penalty = 1.3,
                                                   .presence_penalty = 0.4,
                                                   .frequency_penalty = 0.2,
                                                   .logit_bias = {{2, 1.5}}}};
  return all;
}

std::vector<float> normal_logits(std::size_t tokens, std::mt19937_64& random) {
  std::normal_distribution<float> normal(0, 1.5f);
  std::vector<float> logits(tokens);
  for (float& one : logits) one = normal(random);
  return logits;
}

TokenCounts counts_of_some() {
  TokenCounts counts(std::vector<Token>{1, 4});
  for (const Token token : {4, 6, 6}) counts.add(token);
  return counts;
}

double sum_of(const Distribution& one) {
  return std::accumulate(one.probabilities.begin(), one.probabilities.end(), 0.0);
}

TEST(Distribution, IsThatOfChoices) {
  std::mt19937_64 random(1);
  const TokenCounts counts = counts_of_some();
  Distribution found;
  for (const SamplerOptions& options : options_of_all_kinds()) {
    const auto logits = normal_logits(9, random);
    const test::Distribution exact = test::exact_distribution(logits, options, counts);
    ASSERT_GT(exact.margin, 1e-9);
    TokenChoice(9).distribute({options, kSeed, counts}, logits, found);
    EXPECT_NEAR(sum_of(found), 1, 1e-12);
    for (Token token = 0; token < 9; ++token)
      EXPECT_NEAR(found.of(token), exact.probabilities[static_cast<std::size_t>(token)], 1e-12);
  }
}

TEST(Distribution, OfSomeTokensLeavesTheOthersOut) {
  std::mt19937_64 random(2);
  const TokenCounts counts = counts_of_some();
  const std::vector<Token> tokens = {1, 2, 4, 6, 8};
  Distribution found;
  for (const SamplerOptions& options : options_of_all_kinds()) {
    const auto logits = normal_logits(tokens.size(), random);
    std::vector<float> all(9, -std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < tokens.size(); ++i)
      all[static_cast<std::size_t>(tokens[i])] = logits[i];
    const test::Distribution exact = test::exact_distribution(all, options, counts);
    TokenChoice(tokens).distribute({options, kSeed, counts}, logits, found);
    for (Token token = 0; token < 9; ++token)
      EXPECT_NEAR(found.of(token), exact.probabilities[static_cast<std::size_t>(token)], 1e-12);
  }
}

TEST(Distribution, IsOneTokenAtTemperatureZero) {
  const SamplerOptions greedy, penalised = {.frequency_penalty = 5};
  TokenCounts counts({});
  counts.add(1);
  Distribution found;
  TokenChoice choice(3);
  const std::vector<float> logits = {1, 3, 2};
  choice.distribute({greedy, kSeed, counts}, logits, found);
  EXPECT_EQ(found.tokens, std::vector<Token>{1});
  EXPECT_EQ(found.of(1), 1);
  choice.distribute({penalised, kSeed, counts}, logits, found);
  EXPECT_EQ(found.tokens, std::vector<Token>{2});
}

TEST(Distribution, IsDrawnFromByPartsOfTheUnit) {
  const Distribution from = {{2, 5, 9}, {0.25, 0.5, 0.25}};
  EXPECT_EQ(draw(from, 1e-9), 2);
  EXPECT_EQ(draw(from, 0.2499), 2);
  EXPECT_EQ(draw(from, 0.2501), 5);
  EXPECT_EQ(draw(from, 0.7499), 5);
  EXPECT_EQ(draw(from, 0.7501), 9);
  EXPECT_EQ(draw(from, 1.0 - 0x1p-53), 9);
  EXPECT_EQ(draw({{4}, {0.9999}}, 0.99999), 4);
  EXPECT_EQ(from.of(3), 0);
}

/// What a token drawn from q becomes: the sum over all draws, without any.
Distribution outcome(const Distribution& p, const Distribution& q, int vocab, double& accepted) {
  Distribution rest;
  residual(p, q, rest);
  accepted = 0;
  for (std::size_t i = 0; i < q.tokens.size(); ++i)
    accepted += q.probabilities[i] * acceptance(p, q, q.tokens[i]);
  Distribution out;
  for (Token token = 0; token < vocab; ++token) {
    const double kept = q.of(token) > 0 ? q.of(token) * acceptance(p, q, token) : 0;
    out.tokens.push_back(token);
    out.probabilities.push_back(kept + (1 - accepted) * rest.of(token));
  }
  return out;
}

// Over every pair of options, so that supports overlap in every way.
TEST(SpeculativeSampling, GivesTheTargetsDistributionExactly) {
  constexpr int kVocab = 9;
  std::mt19937_64 random(3);
  const TokenCounts counts = counts_of_some();
  Distribution p, q;
  for (const SamplerOptions& of_target : options_of_all_kinds()) {
    for (const SamplerOptions& of_draft : options_of_all_kinds()) {
      for (const std::vector<Token>& tokens :
           {std::vector<Token>{0, 1, 2, 3, 4, 5, 6, 7, 8}, std::vector<Token>{1, 2, 4, 8}}) {
        TokenChoice(kVocab).distribute({of_target, kSeed, counts}, normal_logits(kVocab, random),
                                       p);
        TokenChoice(tokens).distribute({of_draft, kSeed, counts},
                                       normal_logits(tokens.size(), random), q);
        double accepted = 0, distance = 0;
        const Distribution out = outcome(p, q, kVocab, accepted);
        for (Token token = 0; token < kVocab; ++token) {
          EXPECT_NEAR(out.of(token), p.of(token), 1e-12);
          distance += std::abs(p.of(token) - q.of(token)) / 2;
        }
        EXPECT_NEAR(accepted, 1 - distance, 1e-12);
      }
    }
  }
}

TEST(SpeculativeSampling, AcceptsAllOfTheTargetsOwnDraws) {
  const Distribution p = {{2, 5, 9}, {0.25, 0.5, 0.25}};
  for (const Token token : p.tokens) EXPECT_EQ(acceptance(p, p, token), 1);
  Distribution rest;
  residual(p, p, rest);
  EXPECT_EQ(rest.tokens, p.tokens);
  const Distribution other = {{1, 3}, {0.5, 0.5}};
  EXPECT_EQ(acceptance(p, other, 3), 0);
  residual(p, other, rest);
  EXPECT_EQ(rest.probabilities, p.probabilities);
}

TEST(SpeculativeSampling, WhatADrawLeavesIsRenormalised) {
  const Distribution q = {{2, 5, 9}, {0.25, 0.625, 0.125}};
  Distribution left;
  without(q, 9, left);
  EXPECT_EQ(left.tokens, (std::vector<Token>{2, 5}));
  EXPECT_NEAR(left.of(2), 0.25 / 0.875, 1e-15);
  EXPECT_NEAR(left.of(5), 0.625 / 0.875, 1e-15);
  without(left, 2, left);
  EXPECT_EQ(left.tokens, std::vector<Token>{5});
  EXPECT_EQ(left.of(5), 1);
  without(left, 5, left);
  EXPECT_TRUE(left.tokens.empty());
}

TEST(Uniform, IsItsOwnForEachNumber) {
  constexpr int kDraws = 100'000;
  int both = 0;
  for (int i = 0; i < kDraws; ++i)
    both += uniform(kSeed, 3, RandomUse::kAccept, i) < 0.3 &&
            uniform(kSeed, 3, RandomUse::kAccept, i + 1) < 0.3;
  EXPECT_NEAR(static_cast<double>(both) / kDraws, 0.09, test::binomial_bound(0.09, kDraws, 1e-10));
}

TEST(Uniform, IsItsOwnForEachUseAndPosition) {
  constexpr int kDraws = 100'000;
  const auto choose = [](std::int64_t i, RandomUse use) { return uniform(kSeed, i, use) < 0.3; };
  const RandomUse uses[] = {RandomUse::kDraft, RandomUse::kAccept, RandomUse::kResidual};
  for (const RandomUse use : uses) {
    for (const RandomUse other : uses) {
      int both = 0;
      for (std::int64_t i = 0; i < kDraws; ++i) both += choose(i, use) && choose(i + 1, other);
      EXPECT_NEAR(static_cast<double>(both) / kDraws, 0.09,
                  test::binomial_bound(0.09, kDraws, 1e-10));
      if (use == other) continue;
      both = 0;
      for (std::int64_t i = 0; i < kDraws; ++i) both += choose(i, use) && choose(i, other);
      EXPECT_NEAR(static_cast<double>(both) / kDraws, 0.09,
                  test::binomial_bound(0.09, kDraws, 1e-10));
    }
  }
}

TEST(TokenCounts, TakeBackWhatWasAdded) {
  TokenCounts counts(std::vector<Token>{1});
  counts.add(1);
  counts.add(2);
  counts.add(2);
  counts.remove(2);
  counts.remove(1);
  ASSERT_EQ(counts.counts().size(), 2u);
  EXPECT_EQ(counts.counts()[0].token, 1);
  EXPECT_EQ(counts.counts()[0].in_text, 0);
  EXPECT_TRUE(counts.counts()[0].in_prompt);
  EXPECT_EQ(counts.counts()[1].token, 2);
  EXPECT_EQ(counts.counts()[1].in_text, 1);
  counts.remove(2);
  ASSERT_EQ(counts.counts().size(), 1u);
  EXPECT_EQ(counts.counts()[0].token, 1);
  EXPECT_THROW(counts.remove(1), std::logic_error);
  EXPECT_THROW(counts.remove(2), std::logic_error);
}

/// Of some of `vocab` tokens.
Distribution random_distribution(int vocab, std::mt19937_64& random) {
  Distribution made;
  double sum = 0;
  for (Token token = 0; token < vocab; ++token) {
    if (token > 0 && random() % 4 == 0) continue;
    made.tokens.push_back(token);
    made.probabilities.push_back(std::exp(-static_cast<double>(random() % 100) / 10));
    sum += made.probabilities.back();
  }
  for (double& one : made.probabilities) one /= sum;
  return made;
}

// From its definition, over all pairs of tokens.
TEST(Distribution, IsCoupledAsOftenAsItsFormulaSays) {
  constexpr int kVocab = 12;
  std::mt19937_64 random(8);
  for (int trial = 0; trial < 50; ++trial) {
    const Distribution p = random_distribution(kVocab, random),
                       q = random_distribution(kVocab, random);
    double expected = 0, overlap = 0;
    for (Token v = 0; v < kVocab; ++v) {
      overlap += std::min(p.of(v), q.of(v));
      if (p.of(v) == 0 || q.of(v) == 0) continue;
      double ratios = 0;
      for (Token w = 0; w < kVocab; ++w) ratios += std::max(p.of(w) / p.of(v), q.of(w) / q.of(v));
      expected += 1 / ratios;
    }
    EXPECT_NEAR(coupled_acceptance(p, q), expected, 1e-12);
    EXPECT_NEAR(coupled_acceptance(q, p), expected, 1e-12);
    EXPECT_NEAR(mean_acceptance(p, q), overlap, 1e-12);
    EXPECT_LE(coupled_acceptance(p, q), mean_acceptance(p, q) + 1e-12);
    EXPECT_NEAR(coupled_acceptance(p, p), 1, 1e-12);
    EXPECT_NEAR(mean_acceptance(p, p), 1, 1e-12);
  }
  const Distribution one = {{3}, {1.0}}, other = {{4}, {1.0}};
  EXPECT_EQ(coupled_acceptance(one, one), 1);
  EXPECT_EQ(coupled_acceptance(one, other), 0);
  EXPECT_EQ(mean_acceptance(one, other), 0);
}

}  // namespace
}  // namespace outrider::sampling
