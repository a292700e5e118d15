#include "runtime/draft/row_stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runtime/draft/tree_walk.h"

namespace outrider::draft {
namespace {

using Rows = std::vector<std::vector<Token>>;

TokenTree tree_of(const Rows& rows, TreeForm form, const DraftLimits& limits = {}) {
  TokenTree tree(9, limits);
  tree.set_form(form);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // The first two are of one source, the others of another.
    const bool first = i < 2;
    tree.add_draft(rows[i], {.source = first ? Source::kContext : Source::kBigram,
                             .rank = static_cast<int>(first ? i : i - 2)});
  }
  return tree;
}

TreeWalk walk_along(const TokenTree& tree, const std::vector<Token>& continuation) {
  TreeWalk walk(tree);
  for (const Token token : continuation)
    if (!walk.follow(token)) break;
  return walk;
}

RowStats stats_of(const TokenTree& tree, const std::vector<Token>& continuation) {
  RowStats stats;
  stats.add(tree, walk_along(tree, continuation).path());
  return stats;
}

const Rows kRows = {{1, 2, 3}, {4, 5, 6}, {1, 2, 4}, {1, 2, 3}};

TEST(RowStats, CreditTheLowestRowOfThoseThatAgreeTheFurthest) {
  for (const TreeForm form : {TreeForm::kMerged, TreeForm::kRows}) {
    const TokenTree tree = tree_of(kRows, form);
    EXPECT_EQ(tree.num_drafted(), form == TreeForm::kRows ? 12 : 7);
    RowStats stats = stats_of(tree, {1, 2, 9});  // the first, the third and the fourth agree
    EXPECT_EQ(stats.tokens, 12);
    EXPECT_EQ(stats.nodes, tree.num_drafted());
    EXPECT_EQ(stats.of(Source::kContext).allotted, (std::vector<std::int64_t>{1, 1}));
    EXPECT_EQ(stats.of(Source::kBigram).allotted, (std::vector<std::int64_t>{1, 1}));
    EXPECT_EQ(stats.of(Source::kContext).drafted_tokens, (std::vector<std::int64_t>{3, 3}));
    EXPECT_EQ(stats.of(Source::kContext).accepted, (std::vector<std::int64_t>{1}));
    EXPECT_EQ(stats.of(Source::kContext).accepted_tokens, (std::vector<std::int64_t>{2}));
    EXPECT_EQ(stats.of(Source::kContext).passes_by_accepted, (std::vector<std::int64_t>{0, 0, 1}));
    EXPECT_TRUE(stats.of(Source::kBigram).accepted.empty());
    stats = stats_of(tree, {1, 2, 4, 4});  // the third continues
    EXPECT_EQ(stats.of(Source::kBigram).accepted, (std::vector<std::int64_t>{1}));
    EXPECT_EQ(stats.of(Source::kBigram).accepted_tokens, (std::vector<std::int64_t>{3}));
    stats = stats_of(tree, {7});
    EXPECT_TRUE(stats.of(Source::kContext).accepted.empty());
  }
}

TEST(RowStats, CountFromZeroAgainOnceCleared) {
  const TokenTree tree = tree_of(kRows, TreeForm::kMerged);
  RowStats stats = stats_of(tree, {1, 2, 9});
  EXPECT_NE(stats, RowStats());
  stats.clear();
  EXPECT_EQ(stats, RowStats());
  stats.add(stats_of(tree, {7}));
  EXPECT_EQ(stats, stats_of(tree, {7}));
}

/// Without trees: how far each row agrees.
std::pair<int, int> furthest(const Rows& rows, const std::vector<Token>& continuation) {
  int best = -1, most = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto differs =
        std::mismatch(rows[i].begin(), rows[i].end(), continuation.begin(), continuation.end());
    const int agreeing = static_cast<int>(differs.first - rows[i].begin());
    if (agreeing <= most) continue;
    most = agreeing;
    best = static_cast<int>(i);
  }
  return {best, most};
}

TEST(RowStats, BothFormsAgreeWithComparingRowByRow) {
  std::mt19937 random(5);
  const auto some = [&random](std::size_t most) {
    std::vector<Token> tokens(1 + random() % most);
    for (Token& token : tokens) token = static_cast<Token>(random() % 3);
    return tokens;
  };
  int several = 0;
  for (int i = 0; i < 500; ++i) {
    Rows rows;
    for (std::size_t n = 1 + random() % 6; n > 0; --n) rows.push_back(some(4));
    const std::vector<Token> continuation = some(5);
    const int depth = 1 + static_cast<int>(random() % 4);
    const auto [best, most] = furthest(rows, continuation);
    if (most > 1) ++several;
    for (const TreeForm form : {TreeForm::kMerged, TreeForm::kRows}) {
      const TokenTree whole = tree_of(rows, form);
      const TokenTree tree = tree_of(rows, form, {.depth = depth});
      ASSERT_EQ(tree.drafts().size(), rows.size());
      for (std::size_t r = 0; r < rows.size(); ++r)
        EXPECT_EQ(tree.depth(tree.drafts()[r].last),
                  std::min(static_cast<int>(rows[r].size()), depth));
      const TreeWalk walk = walk_along(tree, continuation);
      EXPECT_EQ(walk.depth(), std::min(most, depth));
      const std::vector<int>& path = walk.path();
      ASSERT_EQ(path.size(), static_cast<std::size_t>(walk.depth()) + 1);
      for (std::size_t d = 1; d < path.size(); ++d) {
        EXPECT_EQ(tree.token(path[d]), continuation[d - 1]);
        EXPECT_EQ(tree.parent(path[d]), path[d - 1]);
      }
      const RowStats stats = stats_of(whole, continuation);
      std::int64_t credits = 0;
      for (const RowCounts& counts : stats.by_source)
        for (const std::int64_t passes : counts.accepted) credits += passes;
      EXPECT_EQ(credits, most > 0 ? 1 : 0);
      if (most == 0) continue;
      const auto& credited = stats.of(best < 2 ? Source::kContext : Source::kBigram);
      const auto rank = static_cast<std::size_t>(best < 2 ? best : best - 2);
      ASSERT_EQ(credited.accepted.size(), rank + 1);
      EXPECT_EQ(credited.accepted_tokens[rank], most);
    }
  }
  EXPECT_GE(several, 50);
}

TEST(RowStats, RowsKeepToTheirBudget) {
  EXPECT_EQ(tree_of(kRows, TreeForm::kRows, {.nodes = 5}).num_drafted(), 5);
  EXPECT_EQ(tree_of(kRows, TreeForm::kRows, {.nodes = 5}).drafts().size(), 2u);
  // Merged, the third row's first two tokens are there already.
  EXPECT_EQ(tree_of(kRows, TreeForm::kMerged, {.nodes = 6}).num_drafted(), 6);
  EXPECT_EQ(tree_of(kRows, TreeForm::kMerged, {.nodes = 6}).drafts().size(), 4u);
}

}  // namespace
}  // namespace outrider::draft
