#include "runtime/sampling/token_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "tests/support/binomial_bound.h"

namespace outrider::sampling {
namespace {

using Probabilities = std::vector<double>;

Probabilities random_probabilities(std::size_t tokens, std::mt19937_64& random) {
  std::exponential_distribution<double> part;
  Probabilities p(tokens);
  double sum = 0;
  for (double& one : p) sum += one = part(random) + 1e-3;
  for (double& one : p) one /= sum;
  return p;
}

std::vector<float> logits_of(const Probabilities& p) {
  std::vector<float> logits;
  for (const double one : p) logits.push_back(static_cast<float>(std::log(one)));
  return logits;
}

/// The probability that two choices with the same noise agree. Daliri, Musco, Suresh 2024.
double coupled_acceptance(const Probabilities& p, const Probabilities& q) {
  double sum = 0;
  for (std::size_t v = 0; v < p.size(); ++v) {
    if (p[v] == 0 || q[v] == 0) continue;
    double ratios = 0;
    for (std::size_t w = 0; w < p.size(); ++w) ratios += std::max(p[w] / p[v], q[w] / q[v]);
    sum += 1 / ratios;
  }
  return sum;
}

TEST(CoupledChoices, AgreeAsOftenAsTheirDistributionsSay) {
  constexpr int kPositions = 100'000;
  std::mt19937_64 random(1);
  const SamplerOptions options = {.temperature = 1};
  const TokenCounts counts({});
  const SequenceSampling sampling = {options, 5, counts};
  // The drafter's vocabulary: the target's or a part of it.
  for (const std::vector<Token>& tokens :
       {std::vector<Token>{0, 1, 2, 3, 4, 5}, std::vector<Token>{0, 2, 5}, std::vector<Token>{3}}) {
    for (int round = 0; round < 4; ++round) {
      const Probabilities p = random_probabilities(6, random);
      const Probabilities of_tokens = random_probabilities(tokens.size(), random);
      Probabilities q(6);
      for (std::size_t i = 0; i < tokens.size(); ++i)
        q[static_cast<std::size_t>(tokens[i])] = of_tokens[i];
      TokenChoice target(6), drafter(tokens);
      const std::vector<float> target_logits = logits_of(p), draft_logits = logits_of(of_tokens);
      int agree = 0;
      for (std::int64_t position = 0; position < kPositions; ++position)
        agree += target.choose(sampling, target_logits, position) ==
                 drafter.choose(sampling, draft_logits, position);
      const double expected = coupled_acceptance(p, q);
      EXPECT_NEAR(static_cast<double>(agree) / kPositions, expected,
                  test::binomial_bound(expected, kPositions, 1e-10))
          << tokens.size() << " tokens, round " << round;
    }
  }
}

TEST(TokenChoice, RefusesIdsThatDoNotAscendAndLogitsOfOtherTokens) {
  EXPECT_THROW(TokenChoice(std::vector<Token>{}), std::logic_error);
  EXPECT_THROW(TokenChoice({-1, 3}), std::logic_error);
  EXPECT_THROW(TokenChoice({3, 3}), std::logic_error);
  EXPECT_THROW(TokenChoice({3, 2}), std::logic_error);
  TokenChoice choice({2, 3});
  EXPECT_THROW(choice.choose(SequenceSampling::greedy(), std::vector<float>{1}, 0),
               std::logic_error);
  EXPECT_EQ(choice.choose(SequenceSampling::greedy(), std::vector<float>{1, 2}, 0), 3);
}

}  // namespace
}  // namespace outrider::sampling
