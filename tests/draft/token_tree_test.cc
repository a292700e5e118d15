#include "runtime/draft/token_tree.h"

#include <gtest/gtest.h>

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

TEST(TokenTree, IsCutBelowADepth) {
  TokenTree tree(1);
  tree.add_chain(0, std::vector<Token>{2, 3, 4});
  const int other = tree.add(0, 5);
  tree.add_chain(other, std::vector<Token>{6, 7});
  tree.add(0, 8);
  TokenTree two = tree;
  two.cut(2);
  EXPECT_EQ(two.num_drafted(), 5);
  const int five = two.child(0, 5);
  ASSERT_NE(five, TokenTree::kNone);
  const int six = two.child(five, 6);
  ASSERT_NE(six, TokenTree::kNone);
  EXPECT_EQ(two.child(six, 7), TokenTree::kNone);
  EXPECT_NE(two.child(0, 8), TokenTree::kNone);
  EXPECT_EQ(tree.num_drafted(), 7);
  tree.cut(3);
  EXPECT_EQ(tree.num_drafted(), 7);
  tree.cut(0);
  EXPECT_EQ(tree.num_drafted(), 0);
}

TEST(TokenTree, RefusesAParentThatIsNotThere) {
  TokenTree tree(7);
  EXPECT_THROW(tree.add(1, 3), std::logic_error);
  EXPECT_THROW(tree.add(-1, 3), std::logic_error);
}

}  // namespace
}  // namespace outrider::draft
