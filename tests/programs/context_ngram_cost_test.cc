#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "runtime/base/stopwatch.h"
#include "runtime/draft/ngram/context_ngram_drafter.h"
#include "tests/support/draft_of.h"

namespace outrider::test {
namespace {

/// The least time of a step while the text grows from `first` tokens by 200, of many such texts. Over
/// three symbols every step finds as many continuations, however long the text is.
double seconds_per_step(std::size_t first) {
  double least = 1e9;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    std::vector<Token> text(first);
    for (Token& token : text) token = static_cast<Token>(random() % 3);
    draft::ContextNgram drafter({.query = 1, .draft_length = 10, .drafts = 10});
    draft_of(drafter, text, 200);
    const Stopwatch watch;
    for (int step = 0; step < 200; ++step) {
      text.push_back(static_cast<Token>(random() % 3));
      EXPECT_EQ(draft_of(drafter, text, 200).drafts().size(), 10u);
    }
    least = std::min(least, watch.seconds() / 200);
  }
  return least;
}

// Sanitizers make memory that was never touched expensive, and so the longer text.
TEST(ContextNgramCost, OfAStepIsTheSameHoweverLongTheTextIs) {
  if (OUTRIDER_SANITIZED) GTEST_SKIP() << "sanitizers have their own price";
  EXPECT_LE(seconds_per_step(8000), 1.2 * seconds_per_step(500));
}

}  // namespace
}  // namespace outrider::test
