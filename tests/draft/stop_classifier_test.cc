#include "runtime/draft/stop/stop_classifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/draft/stop/text_match.h"
#include "tests/support/some_classifier.h"
#include "tests/support/tiny_engine.h"

namespace outrider::draft {
namespace {

class StopClassifierTest : public testing::Test {
 protected:
  const engine::ScoreKernels& kernels() const { return tiny_.engine.score_kernels(); }

  RowFeatures features_of(const std::vector<float>& logits) {
    const int tokens = static_cast<int>(logits.size());
    engine::RowAnswer sums;
    sampling::RowScorer(std::min(RowFeatures::kTop, tokens), tokens, kernels())
        .sum(logits, true, sums);
    return reader_.of(sums);
  }

  static std::vector<float> random_logits(std::size_t tokens, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal(0, 1 + static_cast<float>(seed % 9));
    std::vector<float> logits(tokens);
    for (float& one : logits) one = normal(random);
    return logits;
  }

  /// softmax, descending
  static std::vector<double> probabilities_of(const std::vector<float>& logits) {
    std::vector<double> all;
    for (const float z : logits) all.push_back(std::exp(static_cast<double>(z)));
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    for (double& one : all) one /= sum;
    std::sort(all.begin(), all.end(), std::greater<>());
    return all;
  }

  /// C_i from its definition.
  static double slow_probability(const StopClassifier& classifier, const std::vector<float>& logits,
                                 const DrawnToken& drawn) {
    std::vector<double> inputs = probabilities_of(logits);
    double entropy = 0;
    for (const double p : inputs) entropy -= p * std::log(p);
    inputs.resize(RowFeatures::kTop);
    inputs.push_back(entropy);
    inputs.push_back(static_cast<double>(drawn.index) /
                     static_cast<double>(classifier.position_scale));
    inputs.push_back(static_cast<double>(drawn.log_q));
    inputs.push_back(static_cast<double>(drawn.lead));
    inputs.push_back(drawn.match > 0 ? 1 : drawn.match < 0 ? -1 : 0);
    inputs.push_back(drawn.match / 10.0);
    double sum = static_cast<double>(classifier.output_bias);
    for (std::size_t h = 0; h < StopClassifier::kHidden; ++h) {
      double z = static_cast<double>(classifier.hidden_bias[h]);
      for (std::size_t i = 0; i < inputs.size(); ++i)
        z += static_cast<double>(classifier.hidden[h * inputs.size() + i]) * inputs[i];
      if (z > 0) sum += static_cast<double>(classifier.output[h]) * z;
    }
    return 1 / (1 + std::exp(-sum));
  }

  test::TinyEngine tiny_{model::WeightType::kQ4_1, 1, 1};
  RowFeatureReader reader_;
};

TEST_F(StopClassifierTest, ReadsTheLargestProbabilitiesAndTheEntropy) {
  for (const std::size_t tokens : {4000U, 274U, 64U, 10U, 3U}) {
    const auto logits = random_logits(tokens, tokens);
    const RowFeatures found = features_of(logits);
    const auto expected = probabilities_of(logits);
    double entropy = 0;
    for (const double p : expected) entropy -= p * std::log(p);
    EXPECT_NEAR(found.entropy, entropy, 1e-5);
    for (std::size_t i = 0; i < RowFeatures::kTop; ++i)
      EXPECT_NEAR(found.top[i], i < tokens ? expected[i] : 0, 1e-5) << tokens << " " << i;
  }
}

TEST_F(StopClassifierTest, IsTheNetworkOfThePaperWithFourMoreInputs) {
  double least = 1, most = 0;
  for (int index = 0; index < 60; ++index) {
    const StopClassifier classifier = test::some_classifier(static_cast<std::uint64_t>(index % 5));
    const auto logits = random_logits(500, static_cast<std::uint64_t>(index));
    const DrawnToken drawn = {index, -0.1F * static_cast<float>(index % 7),
                              0.2F * static_cast<float>(index % 11), index % 21 - 10};
    const double found = classifier.probability(features_of(logits), drawn);
    EXPECT_NEAR(found, slow_probability(classifier, logits, drawn), 1e-5);
    least = std::min(least, found);
    most = std::max(most, found);
  }
  EXPECT_LT(least, 0.4);
  EXPECT_GT(most, 0.6);
}

TEST_F(StopClassifierTest, ReadsTheDrawnTokenOnlyWhereThatHasWeights) {
  auto classifier = std::make_shared<StopClassifier>(test::some_classifier(3));
  const auto needs_lead = [&] {
    return make_stop_policy({kClassifierStop, 9, 0.5, classifier})->needs_lead();
  };
  EXPECT_TRUE(classifier->reads_drawn_token());
  EXPECT_TRUE(needs_lead());
  constexpr std::size_t kInputs = StopClassifier::kInputs;
  for (std::size_t h = 0; h < StopClassifier::kHidden; ++h)
    for (std::size_t i = StopClassifier::kPaperInputs; i < StopClassifier::kDrawnInputs; ++i)
      classifier->hidden[h * kInputs + i] = 0;
  EXPECT_FALSE(classifier->reads_drawn_token());
  EXPECT_FALSE(needs_lead());
  const RowFeatures row = features_of(random_logits(100, 4));
  EXPECT_EQ(classifier->probability(row, {5, -1, 0.5F}), classifier->probability(row, {5, -9, 8}));
  // A token that has no other beside it, and one that is hardly possible.
  const auto inputs = StopClassifier::inputs_of(
      row, {5, -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()}, 1);
  EXPECT_EQ(inputs[StopClassifier::kDrawnInputs - 2], -20);
  EXPECT_EQ(inputs[StopClassifier::kDrawnInputs - 1], 20);
}

TEST_F(StopClassifierTest, ReadsTheTextOnlyWhereItsMatchHasWeights) {
  auto classifier = std::make_shared<StopClassifier>(test::some_classifier(3));
  const auto needs_text = [&] {
    return make_stop_policy({kClassifierStop, 9, 0.5, classifier})->needs_text();
  };
  EXPECT_TRUE(needs_text());
  for (std::size_t h = 0; h < StopClassifier::kHidden; ++h)
    for (std::size_t i = StopClassifier::kDrawnInputs; i < StopClassifier::kInputs; ++i)
      classifier->hidden[h * StopClassifier::kInputs + i] = 0;
  EXPECT_FALSE(needs_text());
  EXPECT_TRUE(classifier->reads_drawn_token());
}

TEST(TextMatch, ComparesWithTheLongestEarlierOccurrenceOfTheLastTokens) {
  EXPECT_EQ(text_match({}, 3), 0);
  const std::vector<Token> alone = {3, 4, 5};
  EXPECT_EQ(text_match(alone, 3), 0);
  // Of 6 alone the latest occurrence is followed by 8, of 5 6 the only one by 7.
  const std::vector<Token> text = {5, 6, 7, 6, 8, 5, 6};
  EXPECT_EQ(text_match(text, 7), 2);
  EXPECT_EQ(text_match(text, 8), -2);
  const std::vector<Token> latest = {6, 7, 6, 8, 6};
  EXPECT_EQ(text_match(latest, 8), 1);
  EXPECT_EQ(text_match(latest, 7), -1);
  const std::vector<Token> periodic(40, 2);
  EXPECT_EQ(text_match(periodic, 2), kLongestTextMatch);
}

TEST_F(StopClassifierTest, TellsHowManyInputsItReads) {
  StopClassifier classifier = test::some_classifier(3);
  const auto forget = [&](std::size_t from) {
    for (std::size_t h = 0; h < StopClassifier::kHidden; ++h)
      for (std::size_t i = from; i < StopClassifier::kInputs; ++i)
        classifier.hidden[h * StopClassifier::kInputs + i] = 0;
    return classifier.inputs_read();
  };
  EXPECT_EQ(classifier.inputs_read(), 16);
  EXPECT_EQ(forget(StopClassifier::kDrawnInputs), 14);
  EXPECT_EQ(forget(StopClassifier::kPaperInputs), 12);
}

TEST_F(StopClassifierTest, StopsBelowItsThreshold) {
  const auto classifier = std::make_shared<const StopClassifier>(test::some_classifier(2));
  for (int index = 0; index < 40; ++index) {
    const auto logits = random_logits(300, static_cast<std::uint64_t>(index));
    const std::vector<Token> before = {4, 5, 6, 9, 5, 6};
    const Token token = index % 2 == 0 ? 9 : 8;
    const int match = index % 2 == 0 ? 2 : -2;
    const double expected = slow_probability(*classifier, logits, {index, -1, 0.7F, match});
    const DraftedToken drafted = {1, -1, index, 0.7F, features_of(logits), token, before};
    const auto stops = [&](double threshold) {
      return make_stop_policy({kClassifierStop, 9, threshold, classifier})->stops(drafted);
    };
    EXPECT_FALSE(stops(0));
    EXPECT_FALSE(stops(expected - 1e-4));
    EXPECT_TRUE(stops(expected + 1e-4));
    EXPECT_TRUE(stops(1.01));
  }
}

TEST_F(StopClassifierTest, PoliciesWithAClassifierNeedIt) {
  for (const char* name : {kDiscoStop, kClassifierStop})
    EXPECT_THROW(make_stop_policy({name, 9, 0.5}), std::logic_error);
}

}  // namespace
}  // namespace outrider::draft
