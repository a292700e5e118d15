#include <gtest/gtest.h>

#include "runtime/draft/copy/pld_drafter.h"
#include "tests/support/draft_of.h"

namespace outrider::draft {
namespace {

std::vector<Token> drafted(const PldOptions& options, const std::vector<Token>& text,
                           int budget = 100) {
  Pld drafter(options);
  const TokenTree tree = test::draft_of(drafter, text, budget);
  std::vector<Token> tokens;
  for (int node = 1; node < tree.size(); ++node) {
    EXPECT_EQ(tree.parent(node), node - 1) << "the draft is a chain";
    tokens.push_back(tree.token(node));
  }
  return tokens;
}

TEST(Pld, CopiesWhatFollowedTheLastNgram) {
  EXPECT_EQ(drafted({3, 2}, {1, 2, 3, 4, 5, 9, 1, 2, 3}), (std::vector<Token>{4, 5}));
}

TEST(Pld, PrefersTheLongestNgram) {
  // 2 3 before 4; 3 alone occurs last before 8.
  EXPECT_EQ(drafted({2, 1}, {2, 3, 4, 3, 8, 2, 3}), (std::vector<Token>{4}));
  EXPECT_EQ(drafted({1, 1}, {2, 3, 4, 3, 8, 2, 3}), (std::vector<Token>{8}));
  // Tokens before the longest n-gram do not count: of equal ones the latest.
  EXPECT_EQ(drafted({2, 1}, {1, 2, 3, 4, 2, 3, 5, 1, 2, 3}), (std::vector<Token>{5}));
  EXPECT_EQ(drafted({3, 1}, {1, 2, 3, 4, 2, 3, 5, 1, 2, 3}), (std::vector<Token>{4}));
}

TEST(Pld, TakesTheLatestMatch) {
  EXPECT_EQ(drafted({3, 2}, {5, 1, 2, 5, 3, 4, 5}), (std::vector<Token>{3, 4}));
}

TEST(Pld, CutsItsDraftAtTheEndOfTheText) {
  EXPECT_EQ(drafted({3, 7}, {5, 1, 2, 5, 3, 4, 5}), (std::vector<Token>{3, 4, 5}));
  EXPECT_EQ(drafted({3, 7}, {5, 5}), (std::vector<Token>{5}));
}

TEST(Pld, LooksUpNoShorterNgram) {
  EXPECT_EQ(drafted({.ngram = 3, .draft_length = 1, .shortest = 2}, {2, 3, 4, 3, 8, 3}),
            std::vector<Token>{});
  EXPECT_EQ(drafted({.ngram = 3, .draft_length = 1, .shortest = 2}, {2, 3, 4, 3, 8, 2, 3}),
            (std::vector<Token>{4}));
}

TEST(Pld, PublishedTakesTheEarliestMatchWithAFullContinuation) {
  EXPECT_EQ(drafted({1, 2, true}, {5, 1, 2, 5, 3, 4, 5}), (std::vector<Token>{1, 2}));
  EXPECT_EQ(drafted({2, 1, true}, {3, 8, 2, 3, 4, 2, 3}), (std::vector<Token>{4}));
  // Nothing is followed by seven tokens.
  EXPECT_EQ(drafted({1, 7, true}, {5, 1, 2, 5, 3, 4, 5}), std::vector<Token>{});
  // A shorter n-gram is tried where the longer one has no full continuation.
  EXPECT_EQ(drafted({2, 4, true}, {7, 1, 2, 3, 4, 6, 7, 6, 7}), (std::vector<Token>{1, 2, 3, 4}));
}

TEST(Pld, PublishedMayCopyUpToTheVeryEnd) {
  EXPECT_EQ(drafted({1, 3, true}, {5, 1, 2, 5}), (std::vector<Token>{1, 2, 5}));
}

TEST(Pld, KeepsToItsBudgetWithoutChangingTheMatch) {
  for (const bool published : {false, true})
    EXPECT_EQ(drafted({1, 3, published}, {5, 1, 2, 5}, 2), (std::vector<Token>{1, 2}));
}

TEST(Pld, DraftsNothingWhereNothingMatches) {
  for (const bool published : {false, true}) {
    EXPECT_EQ(drafted({3, 10, published}, {1, 2, 3, 4}), std::vector<Token>{});
    EXPECT_EQ(drafted({3, 10, published}, {1}), std::vector<Token>{});
  }
}

}  // namespace
}  // namespace outrider::draft
