#include "runtime/sampling/row_scorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "runtime/engine/cpu/instruction_set.h"

namespace outrider::sampling {
namespace {

const engine::ScoreKernels& best_kernels() {
  return engine::cpu::kernels_for(engine::Isa::kAuto).score;
}

/// Logits similar to a model's: a few likely tokens above a wide bulk.
std::vector<float> random_logits(int vocab, double spread, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(-3, spread);
  std::vector<float> logits(static_cast<std::size_t>(vocab));
  for (float& z : logits) z = static_cast<float>(normal(random));
  for (int i = 0; i < 5; ++i) logits[random() % logits.size()] += static_cast<float>(2 * spread);
  return logits;
}

struct Expected {
  std::vector<int> order;  // of all tokens, best first
  std::vector<double> log_probs;
  double entropy = 0;
  double outside = 0;
};

/// The definitions in double precision.
Expected expected_scores(const std::vector<float>& logits, int top) {
  Expected expected;
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float z : logits) sum += std::exp(z - largest);
  expected.order.resize(logits.size());
  std::iota(expected.order.begin(), expected.order.end(), 0);
  std::stable_sort(expected.order.begin(), expected.order.end(), [&](int a, int b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double z = logits[static_cast<std::size_t>(expected.order[i])];
    const double log_prob = z - largest - std::log(sum);
    if (z > -std::numeric_limits<double>::infinity())
      expected.entropy -= std::exp(log_prob) * log_prob;
    if (i < static_cast<std::size_t>(top)) {
      expected.log_probs.push_back(log_prob);
    } else {
      expected.outside += std::exp(log_prob);
    }
  }
  return expected;
}

/// All but `outside`.
void expect_best(const RowScorer& scorer, const RowScores& scores, const Expected& expected,
                 int top) {
  EXPECT_EQ(scorer.most_likely(), expected.order[0]);
  ASSERT_EQ(scores.ids.size(), static_cast<std::size_t>(top));
  ASSERT_EQ(scores.log_probs.size(), static_cast<std::size_t>(top));
  for (std::size_t i = 0; i < scores.ids.size(); ++i) {
    EXPECT_EQ(scores.ids[i], expected.order[i]) << i;
    // A log-probability far from 0 is stored to the precision of a float.
    EXPECT_NEAR(scores.log_probs[i], expected.log_probs[i],
                1e-5 + 1e-7 * std::abs(expected.log_probs[i]));
  }
  EXPECT_NEAR(scores.entropy, expected.entropy, 1e-5);
}

void expect_scores(std::vector<float> logits, int top) {
  const Expected expected = expected_scores(logits, top);
  RowScorer scorer(top, static_cast<int>(logits.size()), best_kernels());
  RowScores scores;
  engine::RowAnswer sums;
  scorer.sum(logits, true, sums);
  report_best(sums.best, sums.rest, sums.largest, scores);
  expect_best(scorer, scores, expected, top);
  EXPECT_EQ(sums.likeliest, expected.order.front());
  scorer.sum(logits, false, sums);
  EXPECT_TRUE(sums.best.empty());
  scorer.score(logits, scores);
  expect_best(scorer, scores, expected, top);
  EXPECT_NEAR(scores.outside, expected.outside, 1e-5 * expected.outside + 1e-30);
}

TEST(RowScorer, AgreesWithDoublePrecision) {
  std::uint64_t seed = 0;
  for (const int vocab : {1, 15, 16, 63, 64, 65, 259, 5000, 49152}) {
    for (const double spread : {0.01, 1.0, 3.0, 12.0, 60.0}) {
      for (const int top : {0, 1, 7, 32}) {
        if (top > vocab) continue;
        SCOPED_TRACE(testing::Message() << vocab << " tokens, spread " << spread << ", " << top);
        expect_scores(random_logits(vocab, spread, ++seed), top);
      }
    }
  }
}

TEST(RowScorer, PutsTheLowestIdsFirstOnATie) {
  std::vector<float> logits(1000, 1.5f);
  for (const std::size_t high : {900u, 70u, 512u}) logits[high] = 2.5f;
  RowScorer scorer(6, 1000, best_kernels());
  RowScores scores;
  scorer.score(logits, scores);
  EXPECT_EQ(scores.ids, (std::vector<Token>{70, 512, 900, 0, 1, 2}));
  EXPECT_EQ(scorer.most_likely(), 70);
}

TEST(RowScorer, AcceptsTokensOfProbabilityZero) {
  std::vector<float> logits(300, -std::numeric_limits<float>::infinity());
  logits[17] = 3.0f;
  logits[200] = 3.0f;
  expect_scores(logits, 1);
  RowScorer scorer(2, 300, best_kernels());
  RowScores scores;
  scorer.score(logits, scores);
  EXPECT_NEAR(scores.entropy, std::log(2.0), 1e-6);
  EXPECT_LT(scores.outside, 1e-30f);
}

TEST(RowScorer, GivesTheSameBitsOnEveryInstructionSet) {
  for (const int vocab : {100, 4097, 49152}) {
    const std::vector<float> logits = random_logits(vocab, 4.0, static_cast<std::uint64_t>(vocab));
    std::vector<RowScores> all;
    for (const engine::cpu::Kernels* kernels : engine::cpu::available_kernels()) {
      RowScorer(32, vocab, kernels->score).score(logits, all.emplace_back());
    }
    for (const RowScores& scores : all) {
      EXPECT_EQ(scores.ids, all[0].ids);
      EXPECT_EQ(scores.log_probs, all[0].log_probs);
      EXPECT_EQ(scores.entropy, all[0].entropy);
      EXPECT_EQ(scores.outside, all[0].outside);
    }
  }
}

TEST(ScoreKernels, SumTheRestAsIfWhatIsLeftOutWereNeverChosen) {
  for (const int vocab : {1, 16, 100, 1024, 1025, 4097}) {
    const std::vector<float> logits = random_logits(vocab, 4.0, static_cast<std::uint64_t>(vocab));
    for (const int step : {1, 3, 64, 1000}) {
      std::vector<Token> left_out;
      std::vector<float> without = logits;
      for (Token token = step - 1; token < vocab; token += step) {
        left_out.push_back(token);
        without[static_cast<std::size_t>(token)] = -std::numeric_limits<float>::infinity();
      }
      for (const engine::cpu::Kernels* kernels : engine::cpu::available_kernels()) {
        const auto found = kernels->score.exp_sums(logits.data(), vocab, 20, left_out.data(),
                                                   static_cast<int>(left_out.size()));
        const auto expected = kernels->score.exp_sums(without.data(), vocab, 20, nullptr, 0);
        EXPECT_EQ(found.exp, expected.exp) << kernels->name << ", " << vocab << ", every " << step;
        EXPECT_EQ(found.exp_times, expected.exp_times) << kernels->name << ", " << vocab;
      }
    }
  }
}

TEST(RowScorer, RefusesInvalidLogits) {
  std::vector<float> logits(100, 0.0f);
  RowScores scores;
  logits[3] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(RowScorer(4, 100, best_kernels()).score(logits, scores), std::logic_error);
  for (const std::size_t place : {0u, 3u, 77u, 99u}) {
    logits.assign(100, 0.0f);
    logits[place] = std::numeric_limits<float>::quiet_NaN();
    engine::RowAnswer sums;
    EXPECT_THROW(RowScorer(4, 100, best_kernels()).sum(logits, true, sums), std::logic_error)
        << place;
    EXPECT_THROW(RowScorer(4, 100, best_kernels()).score(logits, scores), std::logic_error)
        << place;
  }
  EXPECT_THROW(RowScorer(101, 100, best_kernels()), std::logic_error);
  std::vector<float> short_row(36, 0.0f);
  EXPECT_THROW(RowScorer(4, 100, best_kernels()).score(short_row, scores), std::logic_error);
}

}  // namespace
}  // namespace outrider::sampling
