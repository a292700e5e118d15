#include "runtime/draft/admission.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "tests/support/random_tree.h"

namespace outrider::draft {
namespace {

/// The chance that a node is accepted with all above it.
double reached(const TokenTree& tree, int node) {
  double chance = 1;
  for (; node != 0; node = tree.parent(node)) chance *= static_cast<double>(tree.chance(node));
  return chance;
}

/// Trees with chances at random, and passes whose price rises in steps.
class AdmissionTest : public testing::Test {
 protected:
  TokenTree random_tree(int nodes) {
    const TokenTree shape = test::random_tree(1, {.vocab = 5, .nodes = nodes}, random_);
    TokenTree tree(1);
    std::uniform_real_distribution<float> chance(0.05F, 0.95F);
    for (int node = 1; node < shape.size(); ++node) {
      Origin origin = {.source = Source::kModel};
      origin.chance = chance(random_);
      tree.add(shape.parent(node), shape.token(node), origin);
    }
    return tree;
  }
  std::vector<double> random_seconds(int rows) {
    std::vector<double> seconds = {1};
    std::uniform_real_distribution<double> more(0, 0.5);
    while (std::ssize(seconds) < rows) seconds.push_back(seconds.back() + more(random_));
    return seconds;
  }
  TokenTree admitted(const TokenTree& drafted, int most, std::span<const double> seconds,
                     const DraftLimits& limits = {}) {
    TokenTree tree(1, limits);
    admission_.run(drafted, most, seconds, tree);
    return tree;
  }
  static double expected(const TokenTree& tree) {
    double tokens = 1;
    for (int node = 1; node < tree.size(); ++node) tokens += reached(tree, node);
    return tokens;
  }

  std::mt19937_64 random_{5};
  Admission admission_;
};

/// Expected tokens a second of the best of all sub-trees that hold their nodes' parents.
double best_rate(const TokenTree& tree, int most, std::span<const double> seconds) {
  double best = 0;
  const int nodes = tree.num_drafted();
  for (unsigned chosen = 0; chosen < 1U << nodes; ++chosen) {
    double tokens = 1;
    int rows = 0;
    bool is_tree = true;
    for (int node = 1; node <= nodes && is_tree; ++node) {
      if ((chosen >> (node - 1) & 1U) == 0) continue;
      const int parent = tree.parent(node);
      is_tree = parent == 0 || (chosen >> (parent - 1) & 1U) != 0;
      tokens += reached(tree, node);
      ++rows;
    }
    if (is_tree && rows <= most)
      best = std::max(best, tokens / seconds[static_cast<std::size_t>(rows)]);
  }
  return best;
}

TEST_F(AdmissionTest, IsTheFastestOfAllSubTrees) {
  int shorter = 0;
  for (int i = 0; i < 60; ++i) {
    const TokenTree drafted = random_tree(11);
    const std::vector<double> seconds = random_seconds(11);
    const int most = i % 3 == 0 ? 4 : 10;
    const TokenTree tree = admitted(drafted, most, seconds);
    EXPECT_LE(tree.num_drafted(), most);
    EXPECT_NEAR(expected(tree) / seconds[static_cast<std::size_t>(tree.num_drafted())],
                best_rate(drafted, most, seconds), 1e-6);
    shorter += tree.num_drafted() < most;
  }
  EXPECT_GT(shorter, 10);
}

TEST_F(AdmissionTest, WithoutPricesTakesTheBestThatThereIsRoomFor) {
  const TokenTree drafted = random_tree(30);
  const std::vector<double> free(30, 1);
  for (const int most : {0, 1, 7, 29, 100}) {
    const TokenTree tree = admitted(drafted, most, {});
    EXPECT_EQ(tree.num_drafted(), std::min(most, 29));
    EXPECT_EQ(expected(tree), expected(admitted(drafted, most, free)));
  }
  EXPECT_EQ(admitted(drafted, 29, {}, {.nodes = 5}).num_drafted(), 5) << "the tree's own limit";
  std::vector<double> chances;
  const TokenTree all = admitted(drafted, 29, {});
  for (int node = 1; node < all.size(); ++node) chances.push_back(reached(all, node));
  EXPECT_TRUE(std::is_sorted(chances.rbegin(), chances.rend())) << "the best first";
}

TEST_F(AdmissionTest, OfUnknownChanceIsAsLikelyAsNot) {
  TokenTree drafted(1);
  Origin likely = {.source = Source::kModel}, unlikely = likely;
  likely.chance = 0.6F;
  unlikely.chance = 0.4F;
  drafted.add(0, 2, unlikely);
  drafted.add(0, 3, {.source = Source::kContext});
  drafted.add(0, 4, likely);
  const TokenTree tree = admitted(drafted, 2, {});
  EXPECT_EQ(tree.token(1), 4);
  EXPECT_EQ(tree.token(2), 3);
}

TEST_F(AdmissionTest, NotesDraftsAsFarAsTheyAreThere) {
  TokenTree drafted(1);
  Origin good = {.source = Source::kContext}, bad = {.source = Source::kBigram};
  good.chance = 0.9F;
  bad.chance = 0.1F;
  drafted.add_draft(std::vector<Token>{2, 3, 4}, good);
  drafted.add_draft(std::vector<Token>{5, 6}, bad);
  const TokenTree tree = admitted(drafted, 2, {});
  ASSERT_EQ(tree.drafts().size(), 1U) << "nothing of the other is there";
  EXPECT_EQ(tree.drafts()[0].origin.source, Source::kContext);
  EXPECT_EQ(tree.depth(tree.drafts()[0].last), 2);
}

TEST(NodesThatPay, EndWithTheLastThatMakesItFaster) {
  const std::vector<double> seconds = {1, 1.1, 1.9, 2.0};
  EXPECT_EQ(nodes_that_pay(std::vector{0.5, 0.2, 0.1}, seconds).count, 1U);
  EXPECT_EQ(nodes_that_pay(std::vector{0.05, 0.04, 0.03}, seconds).count, 0U);
  EXPECT_EQ(nodes_that_pay(std::vector{0.9, 0.9, 0.9}, seconds).count, 3U)
      << "past one that does not";
  EXPECT_EQ(nodes_that_pay(std::vector{0.9, 0.9, 0.9, 0.9, 0.9}, seconds).count, 3U)
      << "the others have no price";
  EXPECT_EQ(nodes_that_pay({}, seconds).count, 0U);
  EXPECT_EQ(nodes_that_pay(std::vector{1.0, 0.0, 0.5}, std::vector<double>{1, 1, 1, 1.25}).count,
            1U)
      << "the fewest on a tie";
}

TEST(NodesThatPay, SayWhatThePassIsWithThem) {
  const std::vector<double> seconds = {2, 2.5, 4};
  const PayingNodes one = nodes_that_pay(std::vector{0.5, 0.25}, seconds);
  EXPECT_EQ(one.count, 1U);
  EXPECT_EQ(one.tokens, 1.5);
  EXPECT_EQ(one.seconds, 2.5);
  EXPECT_EQ(one.rate(), 0.6);
  const PayingNodes none = nodes_that_pay(std::vector{0.125}, seconds);
  EXPECT_EQ(none.tokens, 1);
  EXPECT_EQ(none.seconds, 2);
}

TEST(NodesThatPay, AreFewerInAPassThatGivesMoreWithoutThem) {
  const std::vector<double> seconds = {1, 1.25, 1.5};
  const std::vector<double> reached = {0.75, 0.5};
  EXPECT_EQ(nodes_that_pay(reached, seconds).count, 2U);
  // 2.75 / 1.25 is more than 2, and than 3.25 / 1.5.
  EXPECT_EQ(nodes_that_pay(reached, seconds, 2).count, 1U);
  EXPECT_EQ(nodes_that_pay(reached, seconds, 3).count, 0U);
  EXPECT_EQ(nodes_that_pay(reached, seconds, 2).tokens, 2.75);
}

TEST(NodesThatPay, HaveToMakeThePassSoManyTimesAsFast) {
  const std::vector<double> seconds = {1, 1.25, 1.5};
  const std::vector<double> reached = {0.75, 0.5};  // 1.4 and 1.5 times as fast
  EXPECT_EQ(nodes_that_pay(reached, seconds, 1, 1.45).count, 2U);
  EXPECT_EQ(nodes_that_pay(reached, seconds, 1, 1.5).count, 0U) << "more than so many times";
  EXPECT_EQ(nodes_that_pay(reached, seconds, 1, 1.5).seconds, 1);
}

}  // namespace
}  // namespace outrider::draft
