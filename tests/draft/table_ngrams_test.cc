#include <gtest/gtest.h>

#include <random>

#include "runtime/draft/ngram/bigram_drafter.h"
#include "runtime/draft/ngram/context_ngram_drafter.h"
#include "runtime/draft/ngram/ngrammys_drafter.h"
#include "runtime/draft/ngram/unigram_drafter.h"
#include "tests/support/draft_of.h"

namespace outrider::draft {
namespace {

/// A table of six tokens, three next ones each: after t come t + 1, t + 2, t + 3, round about.
TablesPtr round_table() {
  draft::NgramTables tables;
  tables.unigram = {4, 2, 0, 1, 3, 5};
  tables.top = 3;
  for (Token t = 0; t < 6; ++t)
    for (int rank = 0; rank < 3; ++rank) {
      tables.next.push_back((t + 1 + rank) % 6);
      tables.log_probs.push_back(-0.5F - 0.5F * static_cast<float>(rank));
    }
  return std::make_shared<draft::NgramTables>(tables);
}

using Paths = std::vector<std::vector<Token>>;

/// From the root to every leaf, in order of leaves.
Paths paths(const TokenTree& tree) {
  std::vector<bool> has_child(static_cast<std::size_t>(tree.size()));
  for (int node = 1; node < tree.size(); ++node)
    has_child[static_cast<std::size_t>(tree.parent(node))] = true;
  Paths all;
  for (int leaf = 1; leaf < tree.size(); ++leaf) {
    if (has_child[static_cast<std::size_t>(leaf)]) continue;
    std::vector<Token> path;
    for (int node = leaf; node != 0; node = tree.parent(node))
      path.insert(path.begin(), tree.token(node));
    all.push_back(path);
  }
  return all;
}

const std::vector<Token> kText = {5, 1, 0};  // no token occurs twice: nothing to copy

TEST(TableNgrams, UnigramDraftsTheSameTokensAfterEveryText) {
  Unigram drafter(round_table(), 3);
  EXPECT_EQ(paths(test::draft_of(drafter, kText, 10)), (Paths{{4}, {2}, {0}}));
  EXPECT_EQ(paths(test::draft_of(drafter, std::vector<Token>{3}, 10)), (Paths{{4}, {2}, {0}}));
  EXPECT_EQ(paths(test::draft_of(drafter, kText, 2)), (Paths{{4}, {2}}));
}

TEST(TableNgrams, BigramBranchesAtTheRootAndGoesOnWithTheLikeliest) {
  Bigram drafter(round_table(), {.drafts = 3, .draft_length = 3});
  EXPECT_EQ(paths(test::draft_of(drafter, kText, 100)), (Paths{{1, 2, 3}, {2, 3, 4}, {3, 4, 5}}));
  Bigram plain(round_table(), {.drafts = 2, .draft_length = 1});
  EXPECT_EQ(paths(test::draft_of(plain, kText, 100)), (Paths{{1}, {2}}));
}

TEST(TableNgrams, ExtensionsByTheModelPrecedeTheMostLikelyTokens) {
  auto tables = std::make_shared<draft::NgramTables>(*round_table());
  tables->extended_rows = 2;
  tables->extended_length = 2;
  for (Token t = 0; t < 6; ++t)
    for (const Token token : {5, t, 4, 4}) tables->extended.push_back(token);
  Bigram drafter(tables, {.drafts = 3, .draft_length = 4});
  const std::vector<Token> text = {2};
  EXPECT_EQ(paths(test::draft_of(drafter, text, 100)),
            (Paths{{3, 5, 2, 3}, {4, 4, 4, 5}, {5, 0, 1, 2}}));
  Bigram shorter(tables, {.drafts = 1, .draft_length = 2});
  EXPECT_EQ(paths(test::draft_of(shorter, text, 100)), (Paths{{3, 5}}));
}

TEST(TableNgrams, TheLikeliestRowsFillTheBudgetFirst) {
  Bigram drafter(round_table(), {.drafts = 3, .draft_length = 3});
  EXPECT_EQ(paths(test::draft_of(drafter, kText, 4)), (Paths{{1, 2, 3}, {2}}));
  EXPECT_EQ(paths(test::draft_of(drafter, kText, 1)), (Paths{{1}}));
}

TEST(TableNgrams, NGrammysTakesFromTheTextFirstAndFillsUpFromTheTable) {
  NGrammys drafter(round_table(), {.query = 1, .drafts = 3, .draft_length = 2});
  // After 0 the text has gone on with 5 5 (twice) and with 1 4: two rows; the third is the table's
  // likeliest, 1 2, which shares its first token.
  const std::vector<Token> text = {0, 5, 5, 0, 5, 5, 0, 1, 4, 0};
  const TokenTree tree = test::draft_of(drafter, text, 100);
  EXPECT_EQ(paths(tree), (Paths{{5, 5}, {1, 4}, {1, 2}}));
  EXPECT_EQ(tree.num_drafted(), 5);
}

TEST(TableNgrams, NGrammysIsTheBigramWithoutAndTheContextNgramWithAFullContext) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    std::vector<Token> text;
    for (int n = 0; n < 40; ++n) text.push_back(static_cast<Token>(random() % 3));
    const int drafts = 1 + static_cast<int>(random() % 3);
    NGrammys mixed(round_table(), {.query = 1, .drafts = drafts, .draft_length = 2});
    ContextNgram context({.query = 1, .draft_length = 2, .drafts = drafts});
    // Three tokens have nine continuations, so the text fills all rows.
    EXPECT_EQ(paths(test::draft_of(mixed, text, 100)), paths(test::draft_of(context, text, 100)));
    mixed.start({}, 0);
    Bigram bigram(round_table(), {.drafts = drafts, .draft_length = 2});
    EXPECT_EQ(paths(test::draft_of(mixed, kText, 100)), paths(test::draft_of(bigram, kText, 100)));
  }
}

/// Drafts at a temperature.
class NoisyBigramTest : public testing::Test {
 protected:
  TokenTree drafted(Drafter& drafter, std::uint64_t seed, double temperature = 0.8) {
    options_.temperature = temperature;
    TokenTree tree(kText.back());
    drafter.draft({kText, {options_, seed, counts_}}, tree);
    return tree;
  }
  /// By the noise: three tokens after `token`.
  std::vector<Token> ranked(Token token, std::int64_t position, std::uint64_t seed) {
    TableChoice choice;
    std::vector<Token> tokens;
    for (const auto& one : choice.rank({options_, seed, counts_}, tables_->next_of(token),
                                       tables_->log_probs_of(token), position, 3))
      tokens.push_back(one.token);
    return tokens;
  }

  std::shared_ptr<NgramTables> tables_ = std::make_shared<NgramTables>(*round_table());
  sampling::SamplerOptions options_;
  sampling::TokenCounts counts_{{}};
};

TEST_F(NoisyBigramTest, DraftsWhatTheTargetsNoisePrefers) {
  Bigram drafter(tables_, {.drafts = 2, .draft_length = 3});
  NGrammys with_text(tables_, {.drafts = 2, .draft_length = 3});
  const auto size = static_cast<std::int64_t>(kText.size());
  int other = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Paths all = paths(drafted(drafter, seed));
    const std::vector<Token> first = ranked(kText.back(), size, seed);
    Paths expected;
    for (const Token token : {first[0], first[1]}) {
      const Token second = ranked(token, size + 1, seed)[0];
      expected.push_back({token, second, ranked(second, size + 2, seed)[0]});
    }
    EXPECT_EQ(all, expected) << seed;
    EXPECT_EQ(paths(drafted(with_text, seed)), expected) << seed;
    with_text.start({}, 0);
    other += expected != Paths{{1, 2, 3}, {2, 3, 4}};
  }
  EXPECT_GT(other, 20);
  EXPECT_EQ(paths(drafted(drafter, 1, 0)), (Paths{{1, 2, 3}, {2, 3, 4}}));
}

TEST_F(NoisyBigramTest, ContinuationsByTheModelAreThoseOfTheirFirstToken) {
  tables_->extended_rows = 2;
  tables_->extended_length = 1;
  for (Token t = 0; t < 6; ++t)
    for (const Token token : {5, 4}) tables_->extended.push_back(token);
  Bigram drafter(tables_, {.drafts = 3, .draft_length = 2});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TokenTree tree = drafted(drafter, seed);
    for (int node = 1; node < tree.size(); ++node) {
      if (tree.depth(node) != 2) continue;
      const Token first = tree.token(tree.parent(node));
      const Token third = ranked(3, static_cast<std::int64_t>(kText.size()) + 1, seed)[0];
      EXPECT_EQ(tree.token(node), first == 1 ? 5 : first == 2 ? 4 : third) << seed;
    }
  }
}

TEST(TableNgrams, NoBudgetIsOverrun) {
  std::mt19937 random(4);
  NGrammys drafter(round_table(), {.query = 1, .drafts = 3, .draft_length = 4});
  std::vector<Token> text = {0};
  for (int i = 0; i < 300; ++i) {
    text.push_back(static_cast<Token>(random() % 6));
    const int budget = 1 + static_cast<int>(random() % 14);
    EXPECT_LE(test::draft_of(drafter, text, budget).num_drafted(), budget);
  }
}

}  // namespace
}  // namespace outrider::draft
