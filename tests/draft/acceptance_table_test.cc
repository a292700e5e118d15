#include "runtime/draft/acceptance_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "runtime/draft/token_tree.h"
#include "tests/support/random_tree.h"

namespace outrider::draft {
namespace {

using Cell = AcceptanceTable::Cell;

Origin modelled(double q, int rank = 0) {
  return {.source = Source::kModel, .rank = rank, .log_q = static_cast<float>(std::log(q))};
}

Cell cell(const Origin& origin, int tenth, int depth, std::int64_t offered, std::int64_t accepted) {
  return {origin.source, origin.rank, tenth, depth, offered, accepted};
}

TEST(AcceptanceTable, CountsTheChildrenOfNodesThatWereAskedAbout) {
  TokenTree tree(1);
  const int first = tree.add(0, 2, modelled(0.95));
  const int beside = tree.add(0, 3, modelled(0.04, 1));
  const int below = tree.add(first, 4, modelled(0.55));
  tree.add(below, 5, {.source = Source::kContext});
  tree.add(beside, 6, modelled(0.9));  // its parent was rejected
  tree.refuse(tree.add(below, 7, modelled(0.9)));
  AcceptanceTable table;
  const std::vector<int> path = {0, first, below};
  table.add(tree, path, path);
  const std::vector<Cell> once = {
      cell(modelled(0.95), 9, 1, 1, 1), cell(modelled(0.55), 5, 2, 1, 1),
      cell(modelled(0.04, 1), 0, 1, 1, 0), cell({.source = Source::kContext}, 10, 3, 1, 0)};
  for (const Cell& one : once)
    EXPECT_EQ(std::count(table.cells().begin(), table.cells().end(), one), 1);
  EXPECT_EQ(table.cells().size(), once.size());
  // Where the text ended with the last node, nothing was asked after it.
  table.add(tree, path, std::span(path).first(2));
  EXPECT_EQ(table.cells().size(), once.size());
  for (const Cell& one : table.cells())
    EXPECT_EQ(one.offered, one.source == Source::kContext ? 1 : 2);
}

TEST(AcceptanceTable, OfEqualRowsCountsEachThatIsRight) {
  TokenTree tree(1);
  tree.set_form(TreeForm::kRows);
  const int first = tree.add(0, 2, {.source = Source::kBigram});
  tree.add(0, 2, {.source = Source::kBigram, .rank = 1});
  AcceptanceTable table;
  const std::vector<int> path = {0, first};
  table.add(tree, path, path);
  ASSERT_EQ(table.cells().size(), 2U);
  for (const Cell& one : table.cells()) EXPECT_EQ(one.accepted, 1);
}

TEST(AcceptanceTable, TablesOfPartsAddUpToThatOfTheWhole) {
  std::mt19937_64 random(3);
  AcceptanceTable whole, parts[2];
  whole.reserve();
  const Cell* const memory = whole.cells().data();
  std::int64_t nodes = 0;
  for (int round = 0; round < 300; ++round) {
    const TokenTree shape = test::random_tree(1, {.vocab = 4, .nodes = 14}, random);
    TokenTree tree(1);
    for (int node = 1; node < shape.size(); ++node)
      tree.add(shape.parent(node), shape.token(node),
               {.source = random() % 2 == 0 ? Source::kModel : Source::kContext,
                .rank = static_cast<int>(random() % 12),
                .log_q = random() % 3 == 0 ? Origin::kUnknown
                                           : -static_cast<float>(random() % 100) / 20});
    std::vector<int> path = {0};
    while (tree.first_child(path.back()) != TokenTree::kNone && random() % 4 != 0)
      path.push_back(tree.first_child(path.back()));
    whole.add(tree, path, path);
    parts[round % 2].add(tree, path, path);
    for (const int node : path)
      for (int child = tree.first_child(node); child != TokenTree::kNone;
           child = tree.next_sibling(child))
        ++nodes;
  }
  EXPECT_EQ(whole.cells().data(), memory) << "counting allocates nothing";
  parts[0].add(parts[1]);
  EXPECT_EQ(parts[0], whole);
  std::int64_t offered = 0;
  for (const Cell& one : whole.cells()) {
    EXPECT_LT(one.rank, AcceptanceTable::kRanks);
    EXPECT_LE(one.depth, AcceptanceTable::kDepths);
    EXPECT_LE(one.accepted, one.offered);
    offered += one.offered;
  }
  EXPECT_EQ(offered, nodes);
  whole.clear();
  EXPECT_TRUE(whole.empty());
}

TEST(AcceptanceTable, WithoutCountsTheChanceIsTheDraftsOwnProbability) {
  const AcceptanceTable table;
  for (const double q : {0.9, 0.31, 0.001}) EXPECT_NEAR(table.chance(modelled(q), 1), q, 1e-6);
  EXPECT_TRUE(std::isnan(table.chance({.source = Source::kContext}, 1)));
  const float never = -std::numeric_limits<float>::infinity();
  EXPECT_NEAR(table.chance({.source = Source::kModel, .log_q = never}, 1), 0, 1e-6);
}

TEST(AcceptanceTable, ChancesComeFromCountsOfTheSameCellFirst) {
  AcceptanceTable table;
  table.add(cell(modelled(0.55), 5, 1, 100'000, 80'000));
  table.add(cell(modelled(0.55), 5, 2, 100'000, 30'000));
  EXPECT_NEAR(table.chance(modelled(0.58), 1), 0.8, 1e-3);
  EXPECT_NEAR(table.chance(modelled(0.51), 2), 0.3, 1e-3);
  EXPECT_NEAR(table.chance(modelled(0.51), 3), 0.55, 1e-3) << "of other depths";
  EXPECT_NEAR(table.chance(modelled(0.65), 1), 0.65, 1e-6) << "of another probability";
  EXPECT_NEAR(table.chance(modelled(0.55, 1), 1), 0.55, 1e-6) << "of another rank";
  EXPECT_TRUE(std::isnan(table.chance({.source = Source::kContext}, 1)));
  // All ranks, and all depths, from the last one on are one.
  table.add(cell({.source = Source::kContext, .rank = 5}, 10, 8, 1'000'000, 250'000));
  EXPECT_NEAR(table.chance({.source = Source::kContext, .rank = 40}, 12), 0.25, 1e-4);
}

TEST(AcceptanceTable, FewCountsWeighLittle) {
  AcceptanceTable table;
  table.add(cell(modelled(0.55), 5, 1, 1, 1));
  const float once = table.chance(modelled(0.55), 1);
  EXPECT_GT(once, 0.55);
  EXPECT_LT(once, 0.65);
  table.add(cell(modelled(0.55), 5, 1, 15, 15));
  EXPECT_GT(table.chance(modelled(0.55), 1), once);
}

TEST(TokenTree, KnowsTheChancesOfItsNodes) {
  TokenTree tree(1);
  const int own = tree.add(0, 2, modelled(0.25));
  EXPECT_NEAR(tree.chance(own), 0.25, 1e-6);
  EXPECT_TRUE(std::isnan(tree.chance(tree.add(0, 3, {.source = Source::kContext}))));
  Origin said = modelled(0.25);
  said.chance = 0.75F;
  EXPECT_EQ(tree.chance(tree.add(0, 4, said)), 0.75F);

  AcceptanceTable table;
  table.add(cell(modelled(0.25), 2, 1, 1'000'000, 500'000));
  EXPECT_EQ(tree.set_acceptance(&table), nullptr);
  const int known = tree.add(0, 5, modelled(0.25));
  EXPECT_NEAR(tree.chance(known), 0.5, 1e-3);
  EXPECT_NEAR(tree.origin(known).log_q, std::log(0.25), 1e-6) << "what was drawn from stays";
  EXPECT_EQ(tree.chance(tree.add(0, 6, said)), 0.75F) << "its drafter knows more";
  EXPECT_NEAR(tree.chance(own), 0.25, 1e-6) << "was added before";
  // Of several that propose the same token the most certain one counts.
  EXPECT_EQ(tree.add(0, 5, said), known);
  EXPECT_EQ(tree.chance(known), 0.75F);
  EXPECT_EQ(tree.add(0, 5, modelled(0.25)), known);
  EXPECT_EQ(tree.chance(known), 0.75F);
  EXPECT_EQ(tree.set_acceptance(nullptr), &table);
}

}  // namespace
}  // namespace outrider::draft
