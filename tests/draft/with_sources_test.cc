#include "runtime/draft/with_sources.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/support/draft_of.h"

namespace outrider::draft {
namespace {

const std::vector<Token> kAfterText = {7, 1};

/// Drafts one chain of a source, and notes what it is told.
class OneChain : public Drafter {
 public:
  OneChain(Source source, std::vector<Token> tokens)
      : source_(source), tokens_(std::move(tokens)) {}
  std::string name() const override { return name_of(source_); }
  void verified(std::span<const int> accepted, Token /*next*/) override {
    told = static_cast<int>(accepted.size());
  }

  int told = -1;

 protected:
  void fill(const DraftContext&, TokenTree& tree) override {
    tree.add_chain(0, tokens_, {.source = source_});
  }

 private:
  Source source_;
  std::vector<Token> tokens_;
};

class WithSourcesTest : public testing::Test {
 protected:
  /// A source of four tokens and a drafter of two others.
  std::unique_ptr<WithSources> both(int nodes, std::vector<LengthCosts> passes = {}) {
    auto source = std::make_unique<OneChain>(Source::kContext, std::vector<Token>{2, 3, 4, 5});
    auto drafter = std::make_unique<OneChain>(Source::kBigram, std::vector<Token>{8, 9});
    source_ = source.get();
    drafter_ = drafter.get();
    std::vector<std::unique_ptr<Drafter>> sources;
    sources.push_back(std::move(source));
    return std::make_unique<WithSources>(std::move(sources), std::move(drafter), nodes,
                                         std::move(passes));
  }
  /// Of the source one token in ten is accepted, of the drafter nine.
  static std::shared_ptr<const AcceptanceTable> table() {
    auto made = std::make_shared<AcceptanceTable>();
    made->add({.source = Source::kContext, .offered = 10'000, .accepted = 1'000});
    made->add({.source = Source::kBigram, .offered = 10'000, .accepted = 9'000});
    return made;
  }
  static std::vector<Token> tokens(const TokenTree& tree) {
    std::vector<Token> all;
    for (int node = 1; node < tree.size(); ++node) all.push_back(tree.token(node));
    return all;
  }

  OneChain* source_ = nullptr;
  OneChain* drafter_ = nullptr;
};

TEST_F(WithSourcesTest, WithoutCountsTheSourcesComeFirst) {
  const auto drafter = both(5, {{0, {1, 10, 20, 30, 40, 50, 60}}});
  EXPECT_EQ(tokens(test::draft_of(*drafter, kAfterText)), (std::vector<Token>{2, 3, 4, 5, 8}));
}

TEST_F(WithSourcesTest, WithCountsTheLikeliestComeFirst) {
  const auto drafter = both(3);
  drafter->set_acceptance(table());
  const TokenTree tree = test::draft_of(*drafter, kAfterText);
  EXPECT_EQ(tokens(tree), (std::vector<Token>{8, 9, 2}));
  EXPECT_FALSE(tree.is_cut()) << "by the drafter's own budget";
  drafter->verified(std::vector{1}, 4);
  EXPECT_EQ(drafter_->told, 1);
  EXPECT_EQ(source_->told, 0);
}

TEST_F(WithSourcesTest, WithPricesOnlyAsManyAsPay) {
  // A row costs half a pass: only what is accepted more often than that pays.
  const auto drafter = both(100, {{0, {1, 1.5, 2, 2.5, 3, 3.5, 4}}, {50, {1, 1, 1, 1, 1, 1, 1}}});
  drafter->set_acceptance(table());
  EXPECT_EQ(tokens(test::draft_of(*drafter, kAfterText)), (std::vector<Token>{8, 9}));
  const std::vector<Token> longer(60, 1);
  EXPECT_EQ(test::draft_of(*drafter, longer).num_drafted(), 6) << "rows after such texts are free";
}

TEST_F(WithSourcesTest, IsCutWhereTheTargetHasNoRoom) {
  const auto drafter = both(100);
  drafter->set_acceptance(table());
  const TokenTree tree = test::draft_of(*drafter, kAfterText, 4);
  EXPECT_EQ(tree.num_drafted(), 4);
  EXPECT_TRUE(tree.is_cut());
  EXPECT_FALSE(test::draft_of(*drafter, kAfterText, 6).is_cut());
}

}  // namespace
}  // namespace outrider::draft
