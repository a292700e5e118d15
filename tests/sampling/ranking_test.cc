#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "runtime/base/math.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::sampling {
namespace {

std::vector<float> random_logits(std::size_t n, std::mt19937_64& random) {
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> logits(n);
  // Rounded, so that some are equal.
  for (float& z : logits) z = std::round(normal(random) * 4) / 4;
  return logits;
}

const std::vector<SamplerOptions>& kinds() {
  static const std::vector<SamplerOptions> all = {
      {},
      {.frequency_penalty = 0.7, .logit_bias = {{3, 2.0}}},
      {.temperature = 1},
      {.temperature = 0.7, .top_p = 0.7},
      {.temperature = 1.5, .top_k = 5},
      {.temperature = 0.8, .min_p = 0.05, .repetition_penalty = 1.3}};
  return all;
}

/// The k best by definition: each the choice once those before it are out of the question.
TEST(Ranking, IsTheChoiceAndThenTheChoiceWithoutIt) {
  std::mt19937_64 random(2);
  TokenCounts counts(std::vector<Token>{1, 2, 3});
  for (const Token token : {3, 9, 9, 40}) counts.add(token);
  std::vector<RankedToken> top;
  for (const SamplerOptions& options : kinds()) {
    for (int position = 0; position < 200; ++position) {
      const SequenceSampling sampling = {options, 7, counts};
      std::vector<float> logits = random_logits(150, random);
      TokenChoice choice(150);
      choice.rank(sampling, logits, position, 4, top);
      ASSERT_FALSE(top.empty());
      EXPECT_EQ(top[0].token, choice.choose(sampling, logits, position));
      const ChosenToken leading = choice.choose_with_lead(sampling, logits, position);
      EXPECT_EQ(leading.token, top[0].token);
      EXPECT_EQ(leading.lead, top.size() < 2 ? std::numeric_limits<float>::infinity()
                                             : static_cast<float>(top[0].value - top[1].value));
      Distribution q;
      choice.distribute(sampling, logits, q);
      const bool is_greedy = options.temperature == 0;
      EXPECT_EQ(top.size(), is_greedy ? 4 : std::min<std::size_t>(4, q.tokens.size()));
      const GumbelNoise noise(7, position);
      double before = std::numeric_limits<double>::infinity();
      std::vector<Token> found;
      for (const RankedToken& one : top) {
        found.push_back(one.token);
        if (is_greedy) {
          EXPECT_LE(one.value, before);
          before = one.value;
          continue;
        }
        EXPECT_NEAR(one.score, math::log(q.of(one.token)), 1e-9);
        const double value = one.score + noise.value(one.token);
        EXPECT_LE(value, before + 1e-9);
        before = value;
      }
      if (is_greedy) continue;
      for (const Token token : q.tokens)
        if (std::find(found.begin(), found.end(), token) == found.end()) {
          EXPECT_LE(math::log(q.of(token)) + noise.value(token), before + 1e-9);
        }
    }
  }
}

TEST(Ranking, WithoutNormalisationHasTheSameTokensAndMayLeaveOutImprobableOnes) {
  std::mt19937_64 random(3);
  const TokenCounts counts({});
  const SamplerOptions options = {.temperature = 0.8};
  TokenChoice choice(400);
  std::vector<RankedToken> all, same, near;
  int left_out = 0;
  for (int position = 0; position < 100; ++position) {
    const SequenceSampling sampling = {options, 7, counts};
    const std::vector<float> logits = random_logits(400, random);
    choice.rank(sampling, logits, position, 400, all);
    choice.rank_unnormalised(sampling, logits, position, 400, same);
    choice.rank_unnormalised(sampling, logits, position, 400, near, 2);
    ASSERT_EQ(same.size(), all.size());
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(same[i].token, all[i].token);
      EXPECT_NEAR(same[i].score - all[i].score, same[0].score - all[0].score, 1e-9);
      best = std::max(best, same[i].score);
    }
    std::erase_if(same, [&](const RankedToken& one) {
      return std::none_of(near.begin(), near.end(),
                          [&](const RankedToken& other) { return other.token == one.token; }) &&
             one.score < best - 2;
    });
    left_out += static_cast<int>(all.size() - same.size());
    ASSERT_EQ(same.size(), near.size()) << "a token within reach is missing";
    for (std::size_t i = 0; i < near.size(); ++i) EXPECT_EQ(near[i].token, same[i].token);
  }
  EXPECT_GT(left_out, 0);
}

TEST(Ranking, TakesTheLowestIdFirstAmongEquals) {
  std::vector<float> logits(100, 1.0f);
  logits[70] = 2;
  const SamplerOptions options;
  const TokenCounts counts({});
  std::vector<RankedToken> top;
  TokenChoice(100).rank({options, 0, counts}, logits, 0, 4, top);
  std::vector<Token> tokens;
  for (const RankedToken& one : top) tokens.push_back(one.token);
  EXPECT_EQ(tokens, (std::vector<Token>{70, 0, 1, 2}));
}

TEST(Ranking, OfAPartOfTheVocabularyIsThatOfAllWithoutTheRest) {
  std::mt19937_64 random(4);
  const TokenCounts counts({});
  TokenChoice whole(90), part(90);
  std::vector<RankedToken> of_whole, of_part;
  for (const SamplerOptions& options : kinds()) {
    for (int position = 0; position < 50; ++position) {
      std::vector<float> logits = random_logits(90, random), some;
      std::vector<Token> tokens;
      for (Token token = 0; token < 90; ++token) {
        if (random() % 2 == 0) {
          tokens.push_back(token);
          some.push_back(logits[static_cast<std::size_t>(token)]);
        } else {
          logits[static_cast<std::size_t>(token)] = -std::numeric_limits<float>::infinity();
        }
      }
      part.restrict_to(tokens);
      whole.rank({options, 3, counts}, logits, position, 6, of_whole);
      part.rank({options, 3, counts}, some, position, 6, of_part);
      ASSERT_EQ(of_whole.size(), of_part.size());
      for (std::size_t i = 0; i < of_whole.size(); ++i) {
        EXPECT_EQ(of_whole[i].token, of_part[i].token);
        EXPECT_NEAR(of_whole[i].score, of_part[i].score, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace outrider::sampling
