#include "runtime/draft/copy/predicted_text.h"

#include <gtest/gtest.h>

#include "tests/support/draft_of.h"

namespace outrider::draft {
namespace {

std::vector<Token> drafted(PredictedText& drafter, const std::vector<Token>& text,
                           int nodes = 100) {
  const TokenTree tree = test::draft_of(drafter, text, nodes);
  std::vector<Token> tokens;
  for (int node = 1; node < tree.size(); ++node) {
    EXPECT_EQ(tree.parent(node), node - 1);
    tokens.push_back(tree.token(node));
  }
  return tokens;
}

std::vector<int> first(int nodes) {
  std::vector<int> all;
  for (int node = 1; node <= nodes; ++node) all.push_back(node);
  return all;
}

TEST(PredictedText, FollowsThePredictionFromItsBeginningInLongerAndLongerDrafts) {
  std::vector<Token> prediction;
  for (Token token = 0; token < 100; ++token) prediction.push_back(token);
  PredictedText drafter(prediction, 2);
  std::vector<Token> text = {7, 8};  // the prompt, which has tokens of the prediction too
  EXPECT_EQ(drafted(drafter, text), (std::vector<Token>{0, 1, 2, 3}));
  for (Token token = 0; token <= 4; ++token) text.push_back(token);
  drafter.verified(first(4), 4);
  EXPECT_EQ(drafted(drafter, text), (std::vector<Token>{5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(drafted(drafter, text, 3), (std::vector<Token>{5, 6, 7}));
}

TEST(PredictedText, FindsItsPlaceAgainAtTheNextOccurrence) {
  // 1 2 3 comes three times; the answer departs after the first 9.
  const std::vector<Token> prediction = {1, 2, 3, 4, 9, 1, 2, 3, 5, 5, 1, 2, 3, 6};
  PredictedText drafter(prediction, 1);
  std::vector<Token> text = {0, 1, 2, 3, 4, 9, 50};
  EXPECT_EQ(drafted(drafter, text), std::vector<Token>());
  text.insert(text.end(), {1, 2});
  EXPECT_EQ(drafted(drafter, text), std::vector<Token>()) << "two tokens are chance";
  text.push_back(3);
  EXPECT_EQ(drafted(drafter, text), (std::vector<Token>{5, 5, 1, 2}));
}

TEST(PredictedText, DraftsNothingAfterTheEndOfThePrediction) {
  PredictedText drafter({1, 2, 3}, 1);
  EXPECT_EQ(drafted(drafter, {0, 1, 2}), std::vector<Token>{3});
  EXPECT_EQ(drafted(drafter, {0, 1, 2, 3}), std::vector<Token>());
  EXPECT_EQ(drafted(drafter, {0, 1, 2, 3, 1}), std::vector<Token>());
}

TEST(PredictedText, AnotherTextBeginsAtTheBeginning) {
  PredictedText drafter({1, 2, 3, 4, 5, 6, 7}, 1);
  EXPECT_EQ(drafted(drafter, {0, 1, 2}), (std::vector<Token>{3, 4, 5, 6}));
  drafter.verified(first(4), 7);
  drafter.start(std::vector<Token>{0}, 0);
  EXPECT_EQ(drafted(drafter, {0}), (std::vector<Token>{1, 2, 3, 4}));
}

TEST(PredictedText, AnEmptyPredictionDraftsNothing) {
  PredictedText drafter({}, 1);
  EXPECT_EQ(drafted(drafter, {0}), std::vector<Token>());
  EXPECT_EQ(drafted(drafter, {0, 1, 2, 3, 4}), std::vector<Token>());
}

}  // namespace
}  // namespace outrider::draft
