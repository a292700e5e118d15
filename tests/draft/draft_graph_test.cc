#include "runtime/draft/gsd/draft_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/draft/grown_graph.h"

namespace outrider::draft {
namespace {

/// Whether two nodes end the same run of drafted tokens.
bool end_alike(const DraftGraph& graph, int a, int b, int tau) {
  for (int i = 0; i < tau; ++i, a = graph.parent(a), b = graph.parent(b))
    if (a == 0 || b == 0 || graph.token(a) != graph.token(b)) return false;
  return true;
}

bool is_above(const DraftGraph& graph, int upper, int node) {
  for (node = graph.parent(node); node > 0; node = graph.parent(node))
    if (node == upper) return true;
  return false;
}

/// By looking at all nodes opened before.
int merged_into(const DraftGraph& graph, const std::vector<int>& opened, int node, int tau) {
  for (const int other : opened)
    if (end_alike(graph, other, node, tau) && !is_above(graph, other, node)) return other;
  return DraftGraph::kNone;
}

TEST(DraftGraph, MergesIntoTheFirstOpenNodeThatEndsAlikeAndIsNotAbove) {
  int merged = 0, past_those_above = 0;
  for (const test::Language& language : test::languages()) {
    for (const int tau : {1, 2, 3}) {
      test::GrownGraph grown(tau);
      std::vector<int> opened;
      grown.on_open = [&](int node) {
        const int expected = merged_into(grown.graph, opened, node, tau);
        for (const int other : opened)
          if (other < expected && end_alike(grown.graph, other, node, tau)) ++past_those_above;
        const bool is_open = grown.graph.open(node);
        EXPECT_EQ(is_open, expected == DraftGraph::kNone);
        EXPECT_EQ(grown.graph.followed_like(node), is_open ? node : expected);
        if (is_open) opened.push_back(node);
        merged += !is_open;
        return is_open;
      };
      grown.grow(language, 300);
      EXPECT_EQ(grown.graph.num_drafted(), static_cast<int>(grown.graph.size()) - 1);
    }
  }
  EXPECT_GT(merged, 300);
  EXPECT_GT(past_those_above, 3);
}

// In one graph: what ends a run of tau + 1 tokens that another node ends also ends one of tau.
TEST(DraftGraph, MergesWithLongerRunsOnlyWhatShorterRunsWouldMerge) {
  int merged = 0;
  for (const test::Language& language : test::languages()) {
    for (const int tau : {1, 2, 3}) {
      test::GrownGraph grown(tau + 1);
      std::vector<int> opened;
      grown.on_open = [&](int node) {
        const bool has_shorter = merged_into(grown.graph, opened, node, tau) != DraftGraph::kNone;
        const bool is_open = grown.graph.open(node);
        if (!is_open) {
          EXPECT_TRUE(has_shorter);
          ++merged;
        } else {
          opened.push_back(node);
        }
        return is_open;
      };
      grown.grow(language, 300);
    }
  }
  EXPECT_GT(merged, 100);
}

TEST(DraftGraph, IsATreeWithoutRuns) {
  for (const test::Language& language : test::languages()) {
    test::GrownGraph grown(0);
    grown.grow(language, 300);
    EXPECT_EQ(grown.graph.num_merged(), 0);
    for (int node = 1; node < grown.graph.size(); ++node) {
      EXPECT_NEAR(grown.graph.log_path(node),
                  grown.graph.log_path(grown.graph.parent(node)) + grown.graph.log_q(node), 1e-12);
      EXPECT_EQ(grown.graph.depth(node), grown.graph.depth(grown.graph.parent(node)) + 1);
      EXPECT_EQ(grown.graph.child(grown.graph.parent(node), grown.graph.token(node)), node);
    }
  }
}

TEST(DraftGraph, AddsBelowOpenNodesOnly) {
  DraftGraph graph(1);
  const int first = graph.add(0, 7, -1, 0);
  EXPECT_THROW(graph.add(first, 8, -1, 0), std::logic_error);
  EXPECT_TRUE(graph.open(first));
  EXPECT_THROW(graph.open(first), std::logic_error);
  const int second = graph.add(first, 7, -1, 0);
  EXPECT_TRUE(graph.open(second)) << "the other is above it";
  const int other = graph.add(0, 8, -1, 1);
  EXPECT_TRUE(graph.open(other));
  const int again = graph.add(other, 7, -1, 0);
  EXPECT_FALSE(graph.open(again));
  EXPECT_EQ(graph.followed_like(again), first);
  EXPECT_THROW(graph.add(again, 1, -1, 0), std::logic_error);
  EXPECT_EQ(graph.num_merged(), 1);
  graph.restart();
  EXPECT_EQ(graph.size(), 1);
  EXPECT_EQ(graph.num_merged(), 0);
  EXPECT_TRUE(graph.open(graph.add(0, 7, -1, 0))) << "nothing is left of the graph before";
}

// What time is proportional to.
TEST(DraftGraph, TakesTheSameTimePerNodeHoweverManyThereAre) {
  for (const test::Language& language : test::worst_languages()) {
    for (const int tau : {1, 2, 4}) {
      const auto per_node = [&](int nodes) {
        test::GrownGraph grown(tau);
        grown.grow(language, nodes);
        return static_cast<double>(grown.graph.steps()) / grown.graph.size();
      };
      EXPECT_LT(per_node(4096), 2 * per_node(64)) << language.name << " " << tau;
    }
  }
}

}  // namespace
}  // namespace outrider::draft
