#include "runtime/sampling/nucleus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runtime/base/math.h"

namespace outrider::sampling {
namespace {

std::vector<double> peaked_scores(int vocab, double spread, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, spread);
  std::vector<double> scores;
  for (int i = 0; i < vocab; ++i) scores.push_back(normal(random));
  const double largest = *std::max_element(scores.begin(), scores.end());
  for (double& score : scores) score -= largest;
  return scores;
}

/// Tokens by rank, each with the cumulative probability in the header's units.
struct Ranked {
  std::vector<Candidate> tokens;
  std::vector<std::int64_t> reached;

  explicit Ranked(const std::vector<double>& scores) {
    for (std::size_t i = 0; i < scores.size(); ++i)
      tokens.push_back({static_cast<Token>(i), scores[i]});
    std::sort(tokens.begin(), tokens.end(), ranks_before);
    std::int64_t sum = 0;
    for (const Candidate& token : tokens) {
      sum += static_cast<std::int64_t>(math::exp(token.score) * 0x1p44 + 0.5);
      reached.push_back(sum);
    }
  }

  std::vector<Token> nucleus(double p) const {
    const double enough = p * static_cast<double>(reached.back());
    std::vector<Token> out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      out.push_back(tokens[i].token);
      if (static_cast<double>(reached[i]) >= enough) break;
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  /// The probability of the n tokens that rank first.
  double probability(std::size_t n) const {
    return static_cast<double>(reached[n - 1]) / static_cast<double>(reached.back());
  }
};

std::vector<Candidate> nucleus(std::span<const double> scores, double p) {
  Nucleus nucleus;
  std::vector<Candidate> run;
  nucleus.find(scores, p, run);
  return run;
}

std::vector<Token> sorted_tokens(const std::vector<Candidate>& candidates) {
  std::vector<Token> out;
  for (const Candidate& candidate : candidates) out.push_back(candidate.token);
  std::sort(out.begin(), out.end());
  return out;
}

// The values of p are at, just below and just above the probability of a run, where the bounds on unlikely
// tokens are inconclusive and the exact sums decide.
TEST(Nucleus, IsExactHoweverCloseTheCut) {
  Nucleus nucleus;  // of all of them, one after the other
  std::vector<Candidate> run;
  for (const int vocab : {1, 5, 64, 65, 300, 3000}) {
    for (const double spread : {0.1, 1.0, 4.0, 12.0}) {
      const std::vector<double> scores = peaked_scores(vocab, spread, 7);
      const Ranked ranked(scores);
      for (std::size_t n = 1; n <= ranked.tokens.size(); n += 1 + n / 3) {
        for (const double off : {-1e-7, -1e-12, 0.0, 1e-12, 1e-7}) {
          const double p = ranked.probability(n) + off;
          if (p < 0 || p >= 1) continue;
          const auto expected = ranked.nucleus(p);
          nucleus.find(scores, p, run);
          ASSERT_EQ(sorted_tokens(run), expected)
              << vocab << " tokens, spread " << spread << ", p " << p;
          at_least(scores, -1e9, run);
          nucleus.cut(run, p);
          ASSERT_EQ(sorted_tokens(run), expected)
              << vocab << " candidates, spread " << spread << ", p " << p;
        }
      }
    }
  }
}

TEST(Nucleus, RanksEqualTokensById) {
  const std::vector<double> scores(1000, 0.0);
  EXPECT_EQ(nucleus(scores, 0.3).size(), 300u);
  for (const Candidate& candidate : nucleus(scores, 0.3)) EXPECT_LT(candidate.token, 300);
}

TEST(Nucleus, KeepsAtLeastTheBestToken) {
  const std::vector<double> scores = {-1, 0, -2};
  EXPECT_EQ(sorted_tokens(nucleus(scores, 0)), std::vector<Token>{1});
}

TEST(Candidates, AreTheBestKWithTiesToTheLowestId) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const int vocab = 1 + static_cast<int>(random() % 700);
    const int k = 1 + static_cast<int>(random() % 150);
    std::vector<double> scores;
    for (int j = 0; j < vocab; ++j) scores.push_back(-static_cast<double>(random() % 60));
    const Ranked ranked(scores);
    std::vector<Token> expected;
    for (const Candidate& token : ranked.tokens)
      if (static_cast<int>(expected.size()) < k) expected.push_back(token.token);
    std::sort(expected.begin(), expected.end());
    std::vector<Candidate> found;
    best(scores, k, found);
    ASSERT_EQ(sorted_tokens(found), expected) << vocab << " tokens, k " << k;
  }
}

}  // namespace
}  // namespace outrider::sampling
