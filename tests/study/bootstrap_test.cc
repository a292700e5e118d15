#include "data/study/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace outrider::study {
namespace {

double mean(const std::vector<double>& values, const std::vector<std::size_t>& chosen) {
  double sum = 0;
  for (const std::size_t i : chosen) sum += values[i];
  return sum / static_cast<double>(chosen.size());
}

TEST(Bootstrap, OfAMeanIsAboutItsStandardError) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(5, 2);
  std::vector<double> values(400);
  for (double& one : values) one = normal(random);
  const std::size_t size = values.size();
  const auto of_texts = [&](const ChosenTexts& texts) { return mean(values, texts[0]); };
  const Interval found = bootstrap(std::span(&size, 1), of_texts);
  EXPECT_NEAR(found.value, 5, 0.3);
  EXPECT_NEAR(found.value - found.low, 1.96 * 2 / std::sqrt(400), 0.03);
  EXPECT_NEAR(found.high - found.value, 1.96 * 2 / std::sqrt(400), 0.03);
  const Interval again = bootstrap(std::span(&size, 1), of_texts);
  EXPECT_EQ(again.low, found.low) << "the draws are always the same";
}

TEST(Bootstrap, DrawsEachSetFromItself) {
  const std::vector<std::size_t> sizes = {3, 50};
  std::vector<std::set<std::size_t>> drawn(sizes.size());
  bootstrap(sizes, [&](const ChosenTexts& texts) {
    const bool is_draw = texts[1].front() != 0 || texts[1].back() != 49;
    EXPECT_EQ(texts.size(), 2u);
    for (std::size_t set = 0; set < texts.size(); ++set) {
      EXPECT_EQ(texts[set].size(), sizes[set]);
      for (const std::size_t text : texts[set]) EXPECT_LT(text, sizes[set]);
      if (is_draw) drawn[set].insert(texts[set].begin(), texts[set].end());
    }
    return 0.0;
  });
  for (std::size_t set = 0; set < sizes.size(); ++set) EXPECT_EQ(drawn[set].size(), sizes[set]);
}

TEST(Bootstrap, LeavesOutDrawsThatDoNotTellIt) {
  const std::size_t size = 2;
  const Interval found = bootstrap(std::span(&size, 1), [](const ChosenTexts& texts) {
    return texts[0][0] == texts[0][1] ? std::numeric_limits<double>::quiet_NaN() : 7.0;
  });
  EXPECT_EQ(found.low, 7);
  EXPECT_EQ(found.high, 7);
}

}  // namespace
}  // namespace outrider::study
