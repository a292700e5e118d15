#include "runtime/draft/gsd/unmerging.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/draft/grown_graph.h"

namespace outrider::draft {
namespace {

std::vector<Token> path_to(const TokenTree& tree, int node) {
  std::vector<Token> path;
  for (; node != 0; node = tree.parent(node)) path.insert(path.begin(), tree.token(node));
  return path;
}

double log_path(const TokenTree& tree, int node) {
  double sum = 0;
  for (; node != 0; node = tree.parent(node)) sum += static_cast<double>(tree.origin(node).log_q);
  return sum;
}

/// Every graph of the languages, with an unmerged tree.
template <typename Check>
void for_each_graph(int nodes, const DraftLimits& limits, const Check& check) {
  for (const test::Language& language : test::languages()) {
    for (const int tau : {0, 1, 2, 3}) {
      test::GrownGraph grown(tau);
      grown.grow(language, nodes);
      Unmerging unmerging;
      TokenTree tree(9);
      unmerging.run(grown.graph, limits, nullptr, tree);
      check(grown.graph, unmerging, tree);
    }
  }
}

TEST(Unmerging, ReadsPathsOfTheGraph) {
  int copies = 0;
  for_each_graph(120, {.depth = 12, .nodes = 1000},
                 [&](const DraftGraph& graph, const Unmerging& unmerging, const TokenTree& tree) {
                   for (int node = 1; node < tree.size(); ++node) {
                     const int above = unmerging.node_of(tree.parent(node));
                     const int here = unmerging.node_of(node);
                     ASSERT_EQ(graph.parent(here), graph.followed_like(above));
                     ASSERT_EQ(graph.token(here), tree.token(node));
                     ASSERT_EQ(unmerging.rank_of(node), graph.rank(here));
                     const bool is_copy =
                         unmerging.is_copy(tree.parent(node)) || !graph.is_open(above);
                     ASSERT_EQ(unmerging.is_copy(node), is_copy);
                     copies += is_copy;
                   }
                 });
  EXPECT_GT(copies, 10'000);
}

// Where no limit cuts, each drafted node is there once, with the continuation that was drafted.
TEST(Unmerging, KeepsTheParentOfEveryDraftedNode) {
  int uncut = 0;
  for_each_graph(40, {.depth = 40, .nodes = 3000},
                 [&](const DraftGraph& graph, const Unmerging& unmerging, const TokenTree& tree) {
                   std::map<int, int> place_of;  // of nodes of the graph in the tree
                   if (tree.num_drafted() == 3000) return;
                   ++uncut;
                   for (int node = 0; node < tree.size(); ++node) {
                     if (unmerging.is_copy(node)) continue;
                     ASSERT_TRUE(place_of.emplace(unmerging.node_of(node), node).second);
                   }
                   ASSERT_EQ(static_cast<int>(place_of.size()), graph.size());
                   for (int node = 1; node < graph.size(); ++node) {
                     ASSERT_EQ(place_of[graph.parent(node)], tree.parent(place_of[node]));
                     ASSERT_EQ(graph.depth(node), tree.depth(place_of[node]));
                     ASSERT_EQ(graph.token(node), tree.token(place_of[node]));
                   }
                 });
  EXPECT_GT(uncut, 100);
}

TEST(Unmerging, KeepsToItsLimitsAndThoseOfTheTree) {
  for (const test::Language& language : test::languages()) {
    test::GrownGraph grown(1);
    grown.grow(language, 100);
    for (const int depth : {0, 1, 3, 10}) {
      for (const int nodes : {0, 1, 7, 60}) {
        Unmerging unmerging;
        TokenTree all(9), limited(9, {.depth = depth, .nodes = nodes}), by_tree(9, {depth, nodes});
        unmerging.run(grown.graph, {depth, nodes}, nullptr, limited);
        EXPECT_LE(limited.num_drafted(), nodes);
        for (int node = 0; node < limited.size(); ++node) EXPECT_LE(limited.depth(node), depth);
        unmerging.run(grown.graph, {}, nullptr, by_tree);
        EXPECT_EQ(by_tree.size(), limited.size());
        // What is left out is less probable than what is there.
        unmerging.run(grown.graph, {depth, 400}, nullptr, all);
        ASSERT_GE(all.size(), limited.size());
        for (int node = 1; node < all.size(); ++node) {
          if (node > 1) {
            EXPECT_LE(log_path(all, node), log_path(all, node - 1) + 1e-5);
          }
          if (node < limited.size()) {
            EXPECT_EQ(path_to(all, node), path_to(limited, node));
          }
        }
      }
    }
  }
}

// `a b c d` and `c d a b`: each ends with what the other begins with.
TEST(Unmerging, FollowsCyclesToTheLimitOfDepth) {
  DraftGraph graph(2);
  const std::vector<std::vector<Token>> branches = {{1, 2, 3, 4}, {3, 4, 1, 2}};
  std::vector<int> ends = {0, 0};
  for (std::size_t depth = 0; depth < 4; ++depth) {
    for (std::size_t i = 0; i < 2; ++i) ends[i] = graph.add(ends[i], branches[i][depth], -0.5, 0);
    for (const int end : ends) EXPECT_EQ(graph.open(end), depth < 3);
  }
  EXPECT_EQ(graph.depth(graph.followed_like(ends[0])), 2);
  EXPECT_EQ(graph.depth(graph.followed_like(ends[1])), 2);
  Unmerging unmerging;
  TokenTree tree(9);
  unmerging.run(graph, {.depth = 11, .nodes = 100}, nullptr, tree);
  ASSERT_EQ(tree.num_drafted(), 22);
  for (const std::vector<Token>& branch : branches) {
    int node = 0;
    for (std::size_t i = 0; i < 11; ++i) node = tree.child(node, branch[i % 4]);
    EXPECT_EQ(tree.depth(node), 11);
  }
}

/// Follows copies with other tokens.
class Reversed : public CopyRanking {
 public:
  explicit Reversed(const DraftGraph& graph) : graph_(graph) {}
  bool rank(int node, const TokenTree& tree, int tree_node,
            std::vector<RankedChild>& children) override {
    EXPECT_TRUE(graph_.is_open(node));
    asked.emplace(tree_node, node);
    if (tree.depth(tree_node) % 2 == 0) return false;
    children.clear();
    for (int i = graph_.first_child(node); i != DraftGraph::kNone; i = graph_.next_sibling(i))
      children.insert(children.begin(), {graph_.token(i), graph_.log_q(i)});
    children.push_back({77, -3});
    return true;
  }
  std::map<int, int> asked;

 private:
  const DraftGraph& graph_;
};

TEST(Unmerging, FollowsCopiesAsTheyAreRanked) {
  int foreign = 0;
  for (const test::Language& language : test::languages()) {
    test::GrownGraph grown(1);
    grown.grow(language, 60);
    Reversed ranking(grown.graph);
    Unmerging unmerging;
    TokenTree tree(9);
    unmerging.run(grown.graph, {.depth = 8, .nodes = 10'000}, &ranking, tree);
    ASSERT_LT(tree.num_drafted(), 10'000);
    for (int node = 1; node < tree.size(); ++node) {
      const int above = tree.parent(node);
      const bool is_copy = unmerging.is_copy(node);
      EXPECT_EQ(ranking.asked.count(above), is_copy ? 1u : 0u);
      if (!is_copy || tree.depth(above) % 2 == 0) continue;
      const int like = ranking.asked[above];
      EXPECT_EQ(unmerging.node_of(node), grown.graph.child(like, tree.token(node)));
      if (tree.token(node) != 77) continue;
      ++foreign;
      EXPECT_EQ(unmerging.node_of(node), DraftGraph::kNone);
      EXPECT_EQ(tree.first_child(node), TokenTree::kNone);
    }
  }
  EXPECT_GT(foreign, 100);
}

TEST(Unmerging, TakesTheSameTimePerNodeHoweverManyThereAre) {
  for (const test::Language& language : test::worst_languages()) {
    for (const int tau : {0, 1, 2, 4}) {
      const auto per_node = [&](int nodes) {
        test::GrownGraph grown(tau);
        grown.grow(language, nodes);
        Unmerging unmerging;
        TokenTree tree(9);
        unmerging.run(grown.graph, {.depth = nodes, .nodes = nodes}, nullptr, tree);
        EXPECT_GT(tree.num_drafted(), 0);
        return static_cast<double>(unmerging.steps()) / tree.size();
      };
      EXPECT_LT(per_node(4096), 2 * per_node(64)) << language.name << " " << tau;
    }
  }
}

}  // namespace
}  // namespace outrider::draft
