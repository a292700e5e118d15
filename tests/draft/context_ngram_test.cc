#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "runtime/draft/ngram/context_ngram_drafter.h"
#include "tests/support/draft_of.h"

namespace outrider::draft {
namespace {

using Drafts = std::vector<std::vector<Token>>;

/// The same by reading the whole text: every w-gram after an earlier occurrence of the last q tokens.
Drafts by_brute_force(const std::vector<Token>& text, std::size_t q, std::size_t w, std::size_t k) {
  struct Seen {
    int count = 0;
    std::size_t latest = 0;
  };
  std::map<std::vector<Token>, Seen> seen;
  const auto at = [&](std::size_t i) { return text.begin() + static_cast<std::ptrdiff_t>(i); };
  for (std::size_t i = 0; i + q + w <= text.size(); ++i) {
    if (!std::equal(at(i), at(i + q), text.end() - static_cast<std::ptrdiff_t>(q))) continue;
    Seen& one = seen[{at(i + q), at(i + q + w)}];
    ++one.count;
    one.latest = i + q;
  }
  std::vector<std::pair<std::vector<Token>, Seen>> order(seen.begin(), seen.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second.count != b.second.count ? a.second.count > b.second.count
                                            : a.second.latest > b.second.latest;
  });
  Drafts best;
  for (const auto& [tokens, unused] : order)
    if (best.size() < k) best.push_back(tokens);
  return best;
}

Drafts by_index(const NgramIndex& index, const std::vector<Token>& text, std::size_t w) {
  std::vector<NgramIndex::Continuation> found;
  index.of_suffix(found);
  Drafts best;
  for (const auto& one : found) {
    const auto first = text.begin() + static_cast<std::ptrdiff_t>(one.latest);
    best.emplace_back(first, first + static_cast<std::ptrdiff_t>(w));
  }
  return best;
}

TEST(NgramIndex, FindsWhatReadingTheWholeTextFinds) {
  std::mt19937 random(3);
  for (const int q : {1, 2, 3}) {
    for (const int w : {1, 2, 5}) {
      for (const int k : {1, 3, 10}) {
        NgramIndex index(q, w, k);
        std::vector<Token> text(20, 1);  // another one, which it forgets
        index.extend(text);
        index.clear();
        if (k == 3) index.reserve(80);  // fewer than will come
        text.clear();
        for (int i = 0; i < 150; ++i) {
          text.push_back(static_cast<Token>(random() % 3));
          if (random() % 3 != 0) continue;  // several tokens may come at once
          index.extend(text);
          if (text.size() < static_cast<std::size_t>(q)) continue;
          EXPECT_EQ(by_index(index, text, static_cast<std::size_t>(w)),
                    by_brute_force(text, static_cast<std::size_t>(q), static_cast<std::size_t>(w),
                                   static_cast<std::size_t>(k)))
              << "q " << q << ", w " << w << ", k " << k << ", " << text.size() << " tokens";
        }
      }
    }
  }
}

std::vector<std::vector<Token>> paths_in(const TokenTree& tree) {
  std::vector<std::vector<Token>> all;
  for (int leaf = 1; leaf < tree.size(); ++leaf) {
    bool has_child = false;
    for (int node = leaf + 1; node < tree.size(); ++node) has_child |= tree.parent(node) == leaf;
    if (has_child) continue;
    std::vector<Token> path;
    for (int node = leaf; node != 0; node = tree.parent(node))
      path.insert(path.begin(), tree.token(node));
    all.push_back(path);
  }
  return all;
}

TEST(ContextNgram, DraftsTheMostFrequentContinuationsAsOneTree) {
  ContextNgram drafter({.query = 1, .draft_length = 2, .drafts = 2});
  // 1 is followed by 2 3 twice, by 2 4 once and later, by 5 6 once and last.
  const std::vector<Token> text = {1, 2, 3, 1, 2, 3, 1, 2, 4, 1, 5, 6, 1};
  const TokenTree tree = test::draft_of(drafter, text, 100);
  EXPECT_EQ(paths_in(tree), (std::vector<std::vector<Token>>{{2, 3}, {5, 6}}));
  EXPECT_EQ(tree.token(0), 1);
}

TEST(ContextNgram, SharesPrefixesAndKeepsToItsBudget) {
  const std::vector<Token> text = {1, 2, 3, 1, 2, 4, 1};
  ContextNgram drafter({.query = 1, .draft_length = 2, .drafts = 9});
  EXPECT_EQ(test::draft_of(drafter, text, 100).num_drafted(), 3);
  drafter.start({}, 0);
  EXPECT_EQ(test::draft_of(drafter, text, 1).num_drafted(), 1);
}

TEST(ContextNgram, KnowsNothingOfAnotherTextAfterAReset) {
  ContextNgram drafter({.query = 1, .draft_length = 1, .drafts = 3});
  EXPECT_EQ(test::draft_of(drafter, std::vector<Token>{7, 8, 7}, 10).num_drafted(), 1);
  drafter.start({}, 0);
  EXPECT_EQ(test::draft_of(drafter, std::vector<Token>{1, 2, 7}, 10).num_drafted(), 0);
}

TEST(ContextNgram, CountsOnlyFullContinuations) {
  ContextNgram drafter({.query = 2, .draft_length = 3, .drafts = 3});
  EXPECT_EQ(test::draft_of(drafter, std::vector<Token>{1, 2, 9, 1, 2}, 10).num_drafted(), 3);
  drafter.start({}, 0);
  EXPECT_EQ(test::draft_of(drafter, std::vector<Token>{1, 2, 1, 2}, 10).num_drafted(), 0);
}

}  // namespace
}  // namespace outrider::draft
