#include "runtime/draft/token_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace outrider::draft {
namespace {

TEST(TokenTree, MergesSharedPrefixes) {
  TokenTree tree(7);
  const std::vector<Token> a = {1, 2, 3};
  const std::vector<Token> b = {1, 2, 4};
  const int end_a = tree.add_chain(0, a);
  const int end_b = tree.add_chain(0, b);
  EXPECT_EQ(tree.size(), 5);
  EXPECT_EQ(tree.num_drafted(), 4);
  EXPECT_EQ(tree.parent(end_a), tree.parent(end_b));
  EXPECT_EQ(tree.depth(end_a), 3);
  EXPECT_EQ(tree.add_chain(0, a), end_a);
}

TEST(TokenTree, FindsTheChildWithAToken) {
  TokenTree tree(7);
  const int one = tree.add(0, 1);
  const int below = tree.add(one, 2);
  EXPECT_EQ(tree.child(0, 1), one);
  EXPECT_EQ(tree.child(one, 2), below);
  EXPECT_EQ(tree.child(0, 2), TokenTree::kNone);
  EXPECT_EQ(tree.child(below, 1), TokenTree::kNone);
}

TEST(TokenTree, KeepsToItsDepth) {
  TokenTree tree(1, {.depth = 2});
  const int three = tree.add_chain(0, std::vector<Token>{2, 3, 4});
  EXPECT_EQ(tree.token(three), 3);
  EXPECT_EQ(tree.add(three, 4), TokenTree::kNone);
  const int other = tree.add(0, 5);
  EXPECT_EQ(tree.depth(tree.add_chain(other, std::vector<Token>{6, 7})), 2);
  EXPECT_NE(tree.add(0, 8), TokenTree::kNone);
  EXPECT_EQ(tree.num_drafted(), 5);
  tree.restart(1, {.depth = 0});
  tree.add_draft(std::vector<Token>{2}, {});
  EXPECT_EQ(tree.num_drafted(), 0);
  EXPECT_TRUE(tree.drafts().empty());
}

TEST(TokenTree, KeepsToItsNodesAndMergesWhenItIsFull) {
  TokenTree tree(1, {.nodes = 3});
  const int end = tree.add_chain(0, std::vector<Token>{2, 3});
  const int four = tree.add_chain(0, std::vector<Token>{4, 5});
  EXPECT_EQ(tree.token(four), 4);
  EXPECT_EQ(tree.add(0, 6), TokenTree::kNone);
  EXPECT_EQ(tree.add_chain(0, std::vector<Token>{2, 3, 7}), end);
  tree.add_draft(std::vector<Token>{6}, {});
  EXPECT_TRUE(tree.drafts().empty());
  tree.add_draft(std::vector<Token>{2, 9}, {});
  ASSERT_EQ(tree.drafts().size(), 1U);
  EXPECT_EQ(tree.drafts()[0].last, tree.child(0, 2));
  EXPECT_EQ(tree.num_drafted(), 3);
}

TEST(TokenTree, IsCutWhereItHasNoRoomButNotAtItsDepth) {
  TokenTree tree(1, {.depth = 2, .nodes = 3});
  tree.add_chain(0, std::vector<Token>{2, 3, 4});
  tree.add(0, 5);
  tree.add(0, 2);
  EXPECT_EQ(tree.num_drafted(), 3);
  EXPECT_FALSE(tree.is_cut()) << "full, and nothing is missing";
  tree.add(tree.child(tree.child(0, 2), 3), 6);
  EXPECT_FALSE(tree.is_cut()) << "too deep, so that it could not be accepted";
  tree.add(0, 6);
  EXPECT_TRUE(tree.is_cut());
  tree.restart(1, {.nodes = 3});
  EXPECT_FALSE(tree.is_cut());
}

TEST(TokenTree, KnowsWhereItsNodesCameFrom) {
  TokenTree tree(1);
  tree.add_draft(std::vector<Token>{2, 3}, {.source = Source::kContext, .position = 7});
  tree.add_draft(std::vector<Token>{2, 4}, {.source = Source::kContext, .rank = 1, .position = 20});
  const int model = tree.add(0, 5, {.source = Source::kModel, .log_q = -1.5F});
  const int shared = tree.child(0, 2);
  EXPECT_EQ(tree.origin(shared).position, 7);  // of the first draft
  EXPECT_EQ(tree.origin(tree.child(shared, 3)).position, 8);
  EXPECT_EQ(tree.origin(tree.child(shared, 4)).position, 21);
  EXPECT_EQ(tree.origin(tree.child(shared, 4)).rank, 1);
  EXPECT_EQ(tree.origin(model).log_q, -1.5F);
  EXPECT_TRUE(std::isnan(tree.origin(shared).log_q)) << "copies have no probability";
  EXPECT_EQ(tree.origin(tree.add_chain(model, std::vector<Token>{6, 7})).position, Origin::kNone);
  EXPECT_EQ(tree.origin(0).source, Source::kNone);
  EXPECT_EQ(tree.drafts()[1].origin.position, 20);
}

TEST(TokenTree, RefusesAParentThatIsNotThere) {
  TokenTree tree(7);
  EXPECT_THROW(tree.add(1, 3), std::logic_error);
  EXPECT_THROW(tree.add(-1, 3), std::logic_error);
}

}  // namespace
}  // namespace outrider::draft
