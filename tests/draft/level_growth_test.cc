#include "runtime/draft/parallelspec/level_growth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace outrider::draft {
namespace {

/// Depths with the tokens 10, 11, … and 20, 21, … and so on, whose slots have these largest probabilities.
class SomeDepths : public Levels {
 public:
  explicit SomeDepths(std::vector<double> best) : best_(std::move(best)) {}
  double reach(int depth, const TokenTree& /*tree*/, std::span<const int> /*level*/) override {
    reached = depth + 1;
    return std::log(best_.at(static_cast<std::size_t>(depth)));
  }
  std::span<const sampling::RankedToken> draw(const TokenTree& /*tree*/, int /*node*/,
                                              int width) override {
    tokens_.clear();
    for (int rank = 0; rank < width; ++rank) tokens_.push_back({10 * reached + rank, 0, 0});
    return tokens_;
  }
  void rank_likely(const TokenTree& /*tree*/, int /*node*/, int /*width*/,
                   std::vector<LikelyToken>& likely) override {
    likely.clear();
  }
  float log_q(const TokenTree& tree, int node, Token token) override {
    return static_cast<float>(-token - 100 * tree.depth(node));
  }

  int reached = 0;

 private:
  std::vector<double> best_;
  std::vector<sampling::RankedToken> tokens_;
};

/// The tokens of every node with those of the nodes above it.
std::vector<std::vector<Token>> node_paths(const TokenTree& tree) {
  std::vector<std::vector<Token>> all;
  for (int node = 1; node < tree.size(); ++node) {
    std::vector<Token> path;
    for (int one = node; one > 0; one = tree.parent(one))
      path.insert(path.begin(), tree.token(one));
    all.push_back(path);
  }
  return all;
}

TEST(LevelShape, HasWidthsDownToItsLength) {
  const LevelShape shape = {3, {3, 2}, 0};
  EXPECT_EQ(shape.width(0), 3);
  EXPECT_EQ(shape.width(2), 1);
  EXPECT_EQ(shape.nodes(), 3 + 6 + 6);
  EXPECT_EQ(shape.tree(), "3,2");
  EXPECT_FALSE(shape.is_chain());
  const LevelShape chain = {4, {1, 1}, 0};
  EXPECT_TRUE(chain.is_chain());
  EXPECT_EQ(chain.nodes(), 4);
  EXPECT_EQ(chain.tree(), "chain");
}

/// Every token is followed by the next ones.
class NextTokens : public SomeDepths {
 public:
  using SomeDepths::SomeDepths;
  std::span<const sampling::RankedToken> draw(const TokenTree& tree, int node, int width) override {
    next_.clear();
    for (int rank = 0; rank < width; ++rank) next_.push_back({tree.token(node) + 1 + rank, 0, 0});
    return next_;
  }

 private:
  std::vector<sampling::RankedToken> next_;
};

TEST(LevelGrowth, AsksWhatFollowsEachNode) {
  TokenTree tree(5);
  NextTokens depths({1, 1});
  EXPECT_TRUE(LevelGrowth().run({2, {2, 2}, 0}, 2, depths, tree));
  EXPECT_EQ(node_paths(tree),
            (std::vector<std::vector<Token>>{{6}, {7}, {6, 7}, {6, 8}, {7, 8}, {7, 9}}));
}

TEST(LevelGrowth, GivesAllNodesOfADepthTheSameChildren) {
  TokenTree tree(0);
  SomeDepths depths({1, 1, 1});
  EXPECT_TRUE(LevelGrowth().run({3, {2, 2}, 0}, 3, depths, tree));
  EXPECT_EQ(node_paths(tree), (std::vector<std::vector<Token>>{{10},
                                                               {11},
                                                               {10, 20},
                                                               {10, 21},
                                                               {11, 20},
                                                               {11, 21},
                                                               {10, 20, 30},
                                                               {10, 21, 30},
                                                               {11, 20, 30},
                                                               {11, 21, 30}}));
  EXPECT_EQ(tree.origin(4).rank, 1);
  EXPECT_EQ(tree.origin(4).log_q, -121);
}

TEST(LevelGrowth, EndsBeforeADepthThatIsNotProbableEnough) {
  const auto nodes = [](double threshold, int depths) {
    TokenTree tree(0);
    SomeDepths some({0.5, 0.5, 0.5});
    const bool whole = LevelGrowth().run({3, {2}, threshold}, depths, some, tree);
    return std::tuple(tree.num_drafted(), whole, some.reached);
  };
  EXPECT_EQ(nodes(0, 3), (std::tuple(6, true, 3)));
  EXPECT_EQ(nodes(0.12, 3), (std::tuple(6, true, 3)));
  EXPECT_EQ(nodes(0.2, 3), (std::tuple(4, false, 3)));
  EXPECT_EQ(nodes(0.6, 3), (std::tuple(0, false, 1)));
  EXPECT_EQ(nodes(2, 3), (std::tuple(0, false, 1))) << "above 1: at once";
  EXPECT_EQ(nodes(0, 2), (std::tuple(4, true, 2))) << "fewer depths than the shape's";
  TokenTree tree(0, {.nodes = 3});
  SomeDepths some({1, 1, 1});
  EXPECT_TRUE(LevelGrowth().run({3, {2}, 0}, 3, some, tree));
  EXPECT_EQ(tree.num_drafted(), 3) << "no room";
  EXPECT_EQ(some.reached, 2);
}

/// After every token its number plus 1, 2 and 3, with these probabilities by depth.
class LikelyDepths : public SomeDepths {
 public:
  explicit LikelyDepths(std::vector<std::vector<double>> probabilities)
      : SomeDepths(std::vector<double>(probabilities.size(), 1)),
        probabilities_(std::move(probabilities)) {}
  void rank_likely(const TokenTree& tree, int node, int width,
                   std::vector<LikelyToken>& likely) override {
    const int depth = tree.depth(node);
    const Token before = tree.token(node);
    EXPECT_LT(depth, reached) << "a depth that was not reached";
    likely.clear();
    for (const double one : probabilities_.at(static_cast<std::size_t>(depth)))
      if (std::ssize(likely) < width)
        likely.push_back({before + static_cast<Token>(likely.size()) + 1, std::log(one)});
  }

 private:
  std::vector<std::vector<double>> probabilities_;
};

LevelShape best(int nodes, int length, double threshold) { return {length, {}, threshold, nodes}; }

TEST(LevelShape, MayBeTheBestNodes) {
  EXPECT_EQ(best(6, 3, 0).tree(), "best:6");
  EXPECT_EQ(best(6, 3, 0).nodes(), 6);
  EXPECT_FALSE(best(1, 1, 0).is_chain());
  EXPECT_TRUE((LevelShape{3, {}, 0}) < best(2, 1, 0));
}

TEST(LevelGrowth, DraftsTheMostProbablePathsFirst) {
  const std::vector<std::vector<double>> probabilities = {
      {0.5, 0.3, 0.09}, {0.7, 0.19, 0.05}, {0.4, 0.3, 0.2}};
  const auto paths = [&](const LevelShape& shape, int depths, const DraftLimits& limits = {}) {
    TokenTree tree(0, limits);
    LikelyDepths levels(probabilities);
    const bool whole = LevelGrowth().run(shape, depths, levels, tree);
    return std::pair(node_paths(tree), whole);
  };
  using Paths = std::vector<std::vector<Token>>;
  // .5, .35 below it, .3, .21 below that, .14 and .105 below the second, .095 below the first, .09.
  const Paths expected = {{1}, {1, 2}, {2}, {2, 3}, {1, 2, 3}, {1, 2, 4}, {1, 3}, {3}};
  EXPECT_EQ(paths(best(8, 3, 0), 3), std::pair(expected, true));
  const auto first = [&](std::ptrdiff_t count) {
    return Paths(expected.begin(), expected.begin() + count);
  };
  EXPECT_EQ(paths(best(3, 3, 0), 3), std::pair(first(3), true));
  EXPECT_EQ(paths(best(8, 3, 0.2), 3), std::pair(first(4), false));
  EXPECT_EQ(paths(best(8, 3, 0.6), 3), std::pair(Paths(), false));
  EXPECT_EQ(paths(best(8, 3, 0), 3, {.nodes = 4}), std::pair(first(4), true));
  EXPECT_EQ(paths(best(8, 3, 0), 1), std::pair(Paths{{1}, {2}, {3}}, true)) << "all of a depth";
  EXPECT_EQ(paths(best(8, 3, 0), 0), std::pair(Paths(), true));
}

TEST(LevelGrowth, OfTheBestNodesReachesDepthsThatItDrafts) {
  TokenTree tree(0);
  LikelyDepths levels({{0.6, 0.3}, {0.4, 0.1}, {0.5}});
  LevelGrowth growth;
  EXPECT_TRUE(growth.run(best(2, 3, 0), 3, levels, tree));
  EXPECT_EQ(node_paths(tree), (std::vector<std::vector<Token>>{{1}, {2}}));
  EXPECT_EQ(levels.reached, 2) << "where the first node's children are";
  EXPECT_EQ(tree.origin(2).rank, 1);
  EXPECT_EQ(tree.origin(2).log_q, -2);
  tree.restart(7);
  EXPECT_TRUE(growth.run(best(3, 3, 0), 3, levels, tree)) << "and anew";
  EXPECT_EQ(node_paths(tree), (std::vector<std::vector<Token>>{{8}, {9}, {8, 9}}));
  EXPECT_EQ(tree.origin(3).log_q, -109);
}

/// The same, known after a pass over each node.
class LikelyNodes : public LikelyDepths {
 public:
  using LikelyDepths::LikelyDepths;
  bool depends_on_nodes() const override { return true; }
  double reach(int depth, const TokenTree& tree, std::span<const int> level) override {
    level_.assign(level.begin(), level.end());
    EXPECT_TRUE(std::is_sorted(level.begin(), level.end()));
    for (const int node : level) EXPECT_EQ(tree.depth(node), depth);
    opened += static_cast<int>(level.size());
    return LikelyDepths::reach(depth, tree, level);
  }
  void rank_likely(const TokenTree& tree, int node, int width,
                   std::vector<LikelyToken>& likely) override {
    EXPECT_TRUE(std::binary_search(level_.begin(), level_.end(), node)) << "not opened";
    LikelyDepths::rank_likely(tree, node, width, likely);
  }

  int opened = 0;  // the root included

 private:
  std::vector<int> level_;
};

TEST(LevelGrowth, OpensDepthByDepthWhatIsAmongTheBest) {
  const std::vector<std::vector<double>> probabilities = {
      {0.5, 0.3, 0.09}, {0.7, 0.19, 0.05}, {0.4, 0.3, 0.2}};
  for (const int nodes : {1, 2, 3, 5, 8, 20})
    for (const double threshold : {0.0, 0.1, 0.2, 0.6})
      for (const int depths : {0, 1, 2, 3})
        for (const int room : {4, 100}) {
          TokenTree expected(0, {.nodes = room}), found(0, {.nodes = room});
          LikelyDepths levels(probabilities);
          LikelyNodes by_node(probabilities);
          const LevelShape shape = best(nodes, 3, threshold);
          const bool whole = LevelGrowth().run(shape, depths, levels, expected);
          const bool found_whole = LevelGrowth().run(shape, depths, by_node, found);
          // A tree that there is no room for may have been cut by the threshold too.
          if (room == 100) {
            EXPECT_EQ(found_whole, whole);
          }
          EXPECT_EQ(node_paths(found), node_paths(expected))
              << nodes << " " << threshold << " " << depths << " " << room;
          for (int node = 1; node < found.size(); ++node) {
            EXPECT_EQ(found.origin(node).rank, expected.origin(node).rank);
            EXPECT_EQ(found.origin(node).log_q, expected.origin(node).log_q);
          }
        }
  LikelyNodes levels(probabilities);
  TokenTree tree(0);
  LevelGrowth().run(best(3, 3, 0), 3, levels, tree);
  EXPECT_EQ(levels.opened, 1 + 3 + 1) << "three of the first depth, one of the second, none deeper";
}

/// Draws at random: a node has all of its children or none.
class WholeGroups : public SomeDepths {
 public:
  using SomeDepths::SomeDepths;
  bool draws_at_random() const override { return true; }
};

TEST(LevelGrowth, LeavesOutWholeGroupsThatAreDrawn) {
  TokenTree tree(0, {.nodes = 5});
  WholeGroups levels({1, 1});
  LevelGrowth().run({2, {2, 2}, 0}, 2, levels, tree);
  EXPECT_EQ(node_paths(tree), (std::vector<std::vector<Token>>{{10}, {11}, {10, 20}, {10, 21}}));
}

}  // namespace
}  // namespace outrider::draft
