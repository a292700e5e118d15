#include "data/study/binary_scores.h"

#include <gtest/gtest.h>

#include <random>

namespace outrider::study {
namespace {

TEST(Confusion, HasTheHarmonicMeanOfPrecisionAndRecall) {
  Confusion found;
  EXPECT_EQ(found.f1(), 0);
  for (int i = 0; i < 6; ++i) found.add(true, true);
  for (int i = 0; i < 2; ++i) found.add(true, false);
  for (int i = 0; i < 3; ++i) found.add(false, true);
  for (int i = 0; i < 9; ++i) found.add(false, false);
  EXPECT_EQ(found.total(), 20);
  const double precision = 6.0 / 8, recall = 6.0 / 9;
  EXPECT_DOUBLE_EQ(found.f1(), 2 * precision * recall / (precision + recall));
  const double of_no = 9.0 / 12, recall_of_no = 9.0 / 11;
  EXPECT_DOUBLE_EQ(found.f1_of_no(), 2 * of_no * recall_of_no / (of_no + recall_of_no));
}

TEST(AreaUnderRoc, CountsPairs) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> scores;
    std::vector<std::uint8_t> is_yes;
    for (int i = 0; i < 40; ++i) {
      scores.push_back(static_cast<double>(random() % 10));  // with ties
      is_yes.push_back(random() % 3 == 0);
    }
    is_yes[0] = 1;
    is_yes[1] = 0;
    double higher = 0, pairs = 0;
    for (std::size_t a = 0; a < scores.size(); ++a) {
      for (std::size_t b = 0; b < scores.size(); ++b) {
        if (is_yes[a] == 0 || is_yes[b] != 0) continue;
        ++pairs;
        higher += scores[a] > scores[b] ? 1 : scores[a] == scores[b] ? 0.5 : 0;
      }
    }
    EXPECT_NEAR(area_under_roc(scores, is_yes), higher / pairs, 1e-12);
  }
  EXPECT_EQ(area_under_roc(std::vector<double>{1, 2}, std::vector<std::uint8_t>{1, 1}), 0.5);
}

TEST(Reliability, DividesByProbability) {
  const std::vector<double> predicted = {0.05, 0.15, 0.95, 1.0}, happened = {0, 1, 1, 0.5};
  const Reliability found = reliability_of(predicted, happened, 10);
  EXPECT_EQ(found.share[0], 0.25);
  EXPECT_EQ(found.happened[1], 1);
  EXPECT_DOUBLE_EQ(found.predicted[1], 0.15);
  EXPECT_EQ(found.share[5], 0);
  EXPECT_EQ(found.happened[5], 0);
  EXPECT_EQ(found.share[9], 0.5);
  EXPECT_DOUBLE_EQ(found.predicted[9], 0.975);
  EXPECT_DOUBLE_EQ(found.happened[9], 0.75);
}

}  // namespace
}  // namespace outrider::study
