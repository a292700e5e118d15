#include "runtime/tokenizer/byte_pair_merger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace outrider::text {
namespace {

using Tokens = std::vector<Token>;

struct Rule {
  Token left;
  Token right;
  Token result;
};

MergeTable table_of(const std::vector<Rule>& rules) {
  MergeTable table(rules.size());
  std::int32_t rank = 0;
  for (const Rule& rule : rules) {
    EXPECT_TRUE(table.add(rule.left, rule.right, {rank++, rule.result}));
  }
  return table;
}

Tokens merged(const MergeTable& table, const Tokens& word) {
  BytePairMerger merger(table);
  merger.begin();
  for (const Token token : word) merger.add(token);
  Tokens tokens;
  merger.finish(tokens);
  return tokens;
}

/// By definition: repeatedly merges the pair of lowest rank, the leftmost on a tie.
Tokens merged_plainly(const MergeTable& table, Tokens word) {
  while (true) {
    std::size_t best = word.size();
    Merge least{-1, -1};
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      const Merge merge = table.find(word[i], word[i + 1]);
      if (merge.rank < 0 || (least.rank >= 0 && merge.rank >= least.rank)) continue;
      least = merge;
      best = i;
    }
    if (least.rank < 0) return word;
    word[best] = least.result;
    word.erase(word.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(BytePairMerger, MergesTheLowestRankFirst) {
  const MergeTable table = table_of({{2, 3, 10}, {1, 2, 11}});
  EXPECT_EQ(merged(table, {1, 2, 3}), (Tokens{1, 10}));
  EXPECT_EQ(merged(table, {1, 2, 1}), (Tokens{11, 1}));
}

TEST(BytePairMerger, MergesTheLeftmostOfEqualPairs) {
  const MergeTable table = table_of({{1, 1, 10}});
  EXPECT_EQ(merged(table, {1, 1, 1}), (Tokens{10, 1}));
  EXPECT_EQ(merged(table, {1, 1, 1, 1, 1}), (Tokens{10, 10, 1}));
}

TEST(BytePairMerger, MergesMergedSymbols) {
  const MergeTable table = table_of({{1, 2, 10}, {10, 3, 11}, {11, 11, 12}});
  EXPECT_EQ(merged(table, {1, 2, 3, 1, 2, 3}), (Tokens{12}));
}

TEST(BytePairMerger, LeavesWordsOfNoneOrOneSymbol) {
  const MergeTable table = table_of({{1, 1, 10}});
  EXPECT_EQ(merged(table, {}), Tokens{});
  EXPECT_EQ(merged(table, {1}), Tokens{1});
}

TEST(BytePairMerger, StartsAfreshWithEveryWord) {
  const MergeTable table = table_of({{1, 2, 10}});
  BytePairMerger merger(table);
  Tokens tokens;
  for (const Token token : {1, 2}) {  // two words of one symbol, which must not merge
    merger.begin();
    merger.add(token);
    merger.finish(tokens);
  }
  EXPECT_EQ(tokens, (Tokens{1, 2}));
}

TEST(BytePairMerger, AgreesWithTheDefinitionForRandomRules) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t end) { return static_cast<Token>(random() % end); };
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t letters = 2 + random() % 3;
    std::vector<Rule> rules;
    MergeTable seen(40);
    for (Token next = static_cast<Token>(letters); rules.size() < 40; ++next) {
      const Rule rule{below(static_cast<std::size_t>(next)), below(static_cast<std::size_t>(next)),
                      next};
      if (!seen.add(rule.left, rule.right, {0, next})) {
        --next;
        continue;
      }
      rules.push_back(rule);
    }
    std::shuffle(rules.begin(), rules.end(), random);
    const MergeTable table = table_of(rules);
    Tokens word(1 + random() % 80);
    for (Token& token : word) token = below(letters);
    ASSERT_EQ(merged(table, word), merged_plainly(table, word)) << "trial " << trial;
  }
}

TEST(MergeTable, HoldsEveryPairOnce) {
  MergeTable table(2);
  EXPECT_TRUE(table.add(1, 2, {0, 3}));
  EXPECT_FALSE(table.add(1, 2, {1, 4}));
  EXPECT_EQ(table.find(1, 2).result, 3);
  EXPECT_LT(table.find(2, 1).rank, 0);
}

}  // namespace
}  // namespace outrider::text
