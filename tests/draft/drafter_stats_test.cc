#include "runtime/draft/drafter_stats.h"

#include <gtest/gtest.h>

#include "runtime/draft/drafter.h"

namespace outrider::draft {
namespace {

/// Adds its tokens as a chain, below what the drafters that it asks first have added.
class Asking : public Drafter {
 public:
  Asking(std::string name, std::vector<Token> tokens, std::vector<Drafter*> asked = {})
      : name_(std::move(name)), tokens_(std::move(tokens)), asked_(std::move(asked)) {}

  std::string name() const override { return name_; }
  void fill(const DraftContext& context, TokenTree& tree) override {
    for (Drafter* one : asked_) one->draft(context, tree);
    tree.add_chain(0, tokens_);
  }

 private:
  std::string name_;
  std::vector<Token> tokens_;
  std::vector<Drafter*> asked_;
};

class DrafterStatsTest : public testing::Test {
 protected:
  TokenTree tree(Drafter* drafter) {
    TokenTree tree(1);
    if (drafter != nullptr) drafter->draft({}, tree);
    return tree;
  }
  /// Nodes of the chain 1, 2, ….
  static std::vector<int> first(int nodes) {
    std::vector<int> path;
    for (int node = 0; node <= nodes; ++node) path.push_back(node);
    return path;
  }

  Asking copier_{"copier", {5, 6, 7}};
  Asking both_{"both", {8}, {&copier_}};
  DrafterStats stats_;
};

TEST_F(DrafterStatsTest, NodesAreOfTheDrafterThatAddedThem) {
  const TokenTree mixed = tree(&both_);
  for (const int node : {1, 2, 3}) EXPECT_EQ(mixed.origin(node).drafter, &copier_);
  EXPECT_EQ(mixed.origin(4).drafter, &both_);
  EXPECT_EQ(mixed.origin(0).drafter, nullptr);
  TokenTree copy(1);
  copy.set_drafter(&both_);
  copy.add(0, 5, mixed.origin(1));
  EXPECT_EQ(copy.origin(1).drafter, &copier_) << "a node that is handed on keeps its drafter";
}

TEST_F(DrafterStatsTest, PassesAreDividedByWhoseNodesTheyHad) {
  stats_.add(tree(&copier_), first(2), 1, 0.5, 3);
  stats_.add(tree(&both_), first(3), 4, 8, 12);
  stats_.add(tree(nullptr), first(0), 16, 32, 64);
  stats_.add(tree(nullptr), first(0), 16, 32, 64);
  const auto results = stats_.results();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].name, "copier");
  EXPECT_EQ(results[0].passes, 2);
  EXPECT_EQ(results[0].drafted, 6);
  EXPECT_EQ(results[0].accepted, 5);
  EXPECT_DOUBLE_EQ(results[0].verify_seconds, 1 + 3);
  EXPECT_DOUBLE_EQ(results[0].sample_seconds, 0.5 + 6);
  EXPECT_DOUBLE_EQ(results[0].other_seconds, 3 + 9);
  EXPECT_EQ(results[1].name, "both");
  EXPECT_EQ(results[1].passes, 1);
  EXPECT_EQ(results[1].drafted, 1);
  EXPECT_EQ(results[1].accepted, 0);
  EXPECT_DOUBLE_EQ(results[1].verify_seconds, 1);
  EXPECT_DOUBLE_EQ(results[1].sample_seconds, 2);
  EXPECT_DOUBLE_EQ(results[1].other_seconds, 3);
  EXPECT_EQ(results[2].name, DrafterStats::kNoDrafter);
  EXPECT_EQ(results[2].passes, 2);
  EXPECT_EQ(results[2].drafted, 0);
  EXPECT_DOUBLE_EQ(results[2].verify_seconds, 32);
  EXPECT_DOUBLE_EQ(results[2].other_seconds, 128);
}

TEST_F(DrafterStatsTest, ADrafterWithoutADraftHasNoPass) {
  Asking silent("silent", {});
  stats_.add(tree(&silent), first(0), 1, 1, 1);
  ASSERT_EQ(stats_.results().size(), 1u);
  EXPECT_EQ(stats_.results()[0].name, DrafterStats::kNoDrafter);
}

}  // namespace
}  // namespace outrider::draft
