#include "runtime/sampling/top_logits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tests/support/tiny_engine.h"

namespace outrider::sampling {
namespace {

std::vector<Token> by_sorting(const std::vector<float>& logits, std::size_t k) {
  std::vector<Token> ids;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (logits[i] > -std::numeric_limits<float>::infinity()) ids.push_back(static_cast<Token>(i));
  std::stable_sort(ids.begin(), ids.end(), [&](Token a, Token b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  ids.resize(std::min(ids.size(), k));
  return ids;
}

TEST(TopLogits, AreThoseThatSortingFinds) {
  const test::TinyEngine tiny(model::WeightType::kF32, 1, 1);
  std::mt19937 random(2);
  for (const int size : {1, 63, 64, 65, 1000}) {
    for (const int k : {1, 4, 8}) {
      TopLogits top(k, size, tiny.engine.score_kernels());
      for (const int values : {3, 100000}) {  // with many equal ones, and hardly any
        std::vector<float> logits(static_cast<std::size_t>(size));
        for (float& one : logits)
          one = static_cast<float>(random() % static_cast<unsigned>(values)) / 7 - 4;
        if (size > 4) logits[2] = logits[3] = -std::numeric_limits<float>::infinity();
        std::vector<Token> found;
        for (const RankedToken& one : top.of(logits)) {
          found.push_back(one.token);
          EXPECT_EQ(one.value, logits[static_cast<std::size_t>(one.token)]);
          EXPECT_EQ(one.score, one.value);
        }
        EXPECT_EQ(found, by_sorting(logits, static_cast<std::size_t>(k))) << size << " " << k;
      }
    }
  }
}

TEST(TopLogits, AreOfTheVocabularyOnly) {
  const test::TinyEngine tiny(model::WeightType::kF32, 1, 1);
  TopLogits top(2, 70, tiny.engine.score_kernels());
  EXPECT_THROW(top.of(std::vector<float>(71)), std::logic_error);
}

}  // namespace
}  // namespace outrider::sampling
