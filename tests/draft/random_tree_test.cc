#include "tests/support/random_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace outrider::draft {
namespace {

// What everything that walks a tree relies on, whatever was added in whatever order.
TEST(TokenTree, KeepsItsInvariantsForRandomTrees) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    const test::TreeShape shape = {1 + static_cast<int>(random() % 20),
                                   1 + static_cast<int>(random() % 60),
                                   1 + static_cast<int>(random() % 5)};
    const TokenTree tree = test::random_tree(7, shape, random);
    ASSERT_EQ(tree.size(), shape.nodes);
    EXPECT_EQ(tree.token(0), 7);
    EXPECT_EQ(tree.parent(0), TokenTree::kNone);
    EXPECT_EQ(tree.depth(0), 0);
    std::map<int, std::set<Token>> children;
    for (int node = 1; node < tree.size(); ++node) {
      const int parent = tree.parent(node);
      ASSERT_GE(parent, 0);
      ASSERT_LT(parent, node);
      EXPECT_EQ(tree.depth(node), tree.depth(parent) + 1);
      EXPECT_EQ(tree.child(parent, tree.token(node)), node);
      EXPECT_LT(tree.token(node), shape.vocab);
      EXPECT_TRUE(children[parent].insert(tree.token(node)).second) << "a token twice";
      EXPECT_LE(static_cast<int>(children[parent].size()), shape.branching);
    }
  }
}

TEST(RandomTree, HasDeepPathsAndWideNodes) {
  std::mt19937_64 random(2);
  int deepest = 0, widest = 0;
  for (int i = 0; i < 20; ++i) {
    const TokenTree tree = test::random_tree(0, {.vocab = 100, .nodes = 40}, random);
    std::vector<int> children(40);
    for (int node = 1; node < tree.size(); ++node) {
      deepest = std::max(deepest, tree.depth(node));
      widest = std::max(widest, ++children[static_cast<std::size_t>(tree.parent(node))]);
    }
  }
  EXPECT_GE(deepest, 8);
  EXPECT_EQ(widest, 3);
}

}  // namespace
}  // namespace outrider::draft
