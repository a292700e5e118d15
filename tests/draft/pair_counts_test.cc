#include "runtime/draft/parallelspec/pair_counts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace outrider::draft {
namespace {

/// Of 40 tokens; 2 was never seen.
PairCounts some() { return {{10, 20, 0, 10}, {{0, 1, 8}, {0, 3, 1}, {3, 1, 4}}}; }

std::vector<Token> tokens_of(const std::vector<sampling::RankedToken>& ranked) {
  std::vector<Token> tokens;
  for (const sampling::RankedToken& one : ranked) tokens.push_back(one.token);
  return tokens;
}

TEST(PairCounts, GainIsHowMuchLikelierATokenIsAfterAnother) {
  const PairCounts counts = some();
  EXPECT_EQ(counts.vocab(), 4);
  EXPECT_EQ(counts.size(), 3U);
  // Ten further pairs that are as all of the text: (8 + 10 / 2) / (10 + 10), of a token that is half of the text.
  EXPECT_FLOAT_EQ(counts.gain(0, 1), static_cast<float>(std::log(13.0 / 20 / 0.5)));
  EXPECT_FLOAT_EQ(counts.gain(0, 3), static_cast<float>(std::log((1 + 10 * 0.25) / 20 / 0.25)));
  EXPECT_FLOAT_EQ(counts.gain(3, 1), static_cast<float>(std::log((4 + 5.0) / 20 / 0.5)));
  for (const Token token : {0, 2})
    EXPECT_FLOAT_EQ(counts.gain(0, token), static_cast<float>(std::log(10.0 / 20)))
        << "never seen there";
  EXPECT_FLOAT_EQ(counts.gain(1, 3), static_cast<float>(std::log(10.0 / 30)));
  EXPECT_EQ(counts.gain(2, 1), 0) << "nothing is known of what follows";
}

TEST(PairCounts, RefuseWhatCannotBeCounted) {
  EXPECT_THROW(PairCounts({1, 1}, {{0, 1, 2}}), std::logic_error);
  EXPECT_THROW(PairCounts({3, 1}, {{0, 1, 2}}), std::logic_error);
  EXPECT_THROW(PairCounts({1, 1}, {{0, 1, 0}}), std::logic_error);
  EXPECT_THROW(PairCounts({3, 3}, {{1, 0, 1}, {0, 1, 1}}), std::logic_error);
  EXPECT_THROW(PairCounts({3, 3}, {{0, 1, 1}, {0, 1, 1}}), std::logic_error);
}

TEST(PairWeights, RanksAShortListByGains) {
  PairWeights pair_weights = {std::make_shared<const PairCounts>(some()), 1};
  EXPECT_FALSE(pair_weights.ranks(0)) << "the text's last token is known to the model";
  EXPECT_TRUE(pair_weights.ranks(1));
  const std::vector<sampling::RankedToken> list = {{2, 1.0, 7}, {1, 0.2, 8}, {3, 0.1, 9}};
  std::vector<sampling::RankedToken> ranked;
  rank_after(pair_weights, 0, 0, list, 2, ranked);
  // Gains .26 of 1, -.36 of 3, -.69 of 2.
  EXPECT_EQ(tokens_of(ranked), (std::vector<Token>{1, 2}));
  EXPECT_EQ(ranked[1].score, 7);
  rank_after(pair_weights, 0, 4, list, 3, ranked);
  EXPECT_EQ(tokens_of(ranked), (std::vector<Token>{2, 1, 3})) << "a quarter of the weight";
  pair_weights.weight = 0;
  EXPECT_FALSE(pair_weights.ranks(1));
  EXPECT_FALSE(PairWeights({nullptr, 1}).ranks(1));
}

TEST(PairWeights, ShortListsHaveRoomForAllChildren) {
  EXPECT_EQ(shortlist_length(1), kShortlist);
  EXPECT_EQ(shortlist_length(kShortlist + 1), kShortlist + 1);
}

}  // namespace
}  // namespace outrider::draft
