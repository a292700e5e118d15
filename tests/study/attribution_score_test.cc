#include "data/study/attribution_score.h"

#include <gtest/gtest.h>

namespace outrider::study {
namespace {

// An answer of ten tokens: 1 to 4 from source 1, 6 to 8 from source 2. The prompt's tokens 0 to 9 are
// source 1, 10 to 19 source 2, 20 to 29 neither.
KnownCopies known() {
  KnownCopies known{{0, 1, 1, 1, 1, 0, 2, 2, 2, 0}, {}};
  for (int i = 0; i < 30; ++i) known.prompt.push_back(i < 10 ? 1 : i < 20 ? 2 : 0);
  return known;
}

AttributionScore score(int min_span, const std::vector<decode::CopiedSpan>& spans) {
  AttributionScore score{min_span};
  score.add(spans, known());
  return score;
}

TEST(AttributionScore, CountsTokens) {
  // Three tokens of source 1 and one other; two of source 2.
  const AttributionScore all = score(1, {{2, 6, 3}, {7, 9, 11}});
  EXPECT_EQ(all.predicted, 6);
  EXPECT_EQ(all.gold, 7);
  EXPECT_EQ(all.both, 5);
  EXPECT_DOUBLE_EQ(all.precision(), 5.0 / 6);
  EXPECT_DOUBLE_EQ(all.recall(), 5.0 / 7);
  EXPECT_DOUBLE_EQ(all.f1(), 2 * (5.0 / 6) * (5.0 / 7) / (5.0 / 6 + 5.0 / 7));
  EXPECT_DOUBLE_EQ(all.right_share(), 1);
}

TEST(AttributionScore, ShortSpansDoNotCount) {
  const AttributionScore longer = score(3, {{2, 6, 3}, {7, 9, 11}});
  EXPECT_EQ(longer.predicted, 4);
  EXPECT_EQ(longer.gold, 7);
  EXPECT_EQ(longer.both, 3);
  EXPECT_EQ(longer.spans, 1);
}

TEST(AttributionScore, ASpanIsRightWhenMostOfItsKnownTokensAre) {
  EXPECT_EQ(score(1, {{1, 5, 3}}).right, 1);
  EXPECT_EQ(score(1, {{1, 5, 7}}).right, 1);   // three of four
  EXPECT_EQ(score(1, {{1, 5, 8}}).right, 0);   // two of four
  EXPECT_EQ(score(1, {{1, 5, 12}}).right, 0);  // of the other source
  EXPECT_EQ(score(1, {{1, 5, 22}}).right, 0);
  const AttributionScore beside = score(1, {{5, 6, 3}, {9, 10, 3}});  // no known copies
  EXPECT_EQ(beside.spans, 0);
  EXPECT_EQ(beside.right_share(), 0);
}

TEST(AttributionScore, NothingGivesNothing) {
  const AttributionScore none = score(1, {});
  EXPECT_EQ(none.precision(), 0);
  EXPECT_EQ(none.recall(), 0);
  EXPECT_EQ(AttributionScore().f1(), 0);
}

TEST(AttributionScore, TextsAddUp) {
  AttributionScore twice{1};
  for (int i = 0; i < 2; ++i) twice.add({{2, 6, 3}, {7, 9, 11}}, known());
  EXPECT_EQ(twice.predicted, 12);
  EXPECT_EQ(twice.spans, 4);
  EXPECT_DOUBLE_EQ(twice.precision(), 5.0 / 6);
}

}  // namespace
}  // namespace outrider::study
