#include "runtime/draft/copy_first.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime/draft/copy/pld_drafter.h"
#include "tests/support/draft_of.h"

namespace outrider::draft {
namespace {

/// Drafts given tokens and notes what it is told.
class Scripted : public Drafter {
 public:
  std::string name() const override { return title; }
  DrafterTraits traits() const override {
    return {.verification = how, .wants = request, .wants_rejected = rejected};
  }
  int begin(const TextStart& text) override {
    starts.push_back(text.kept);
    return std::min(text.kept, observed);
  }
  void observe(const engine::Pass&, const ObservedRows& rows) override {
    EXPECT_TRUE(rejected || rows.rejected.empty());
    rows_seen += static_cast<int>(rows.kept.size());
    rejected_seen += static_cast<int>(rows.rejected.size());
  }
  void fill(const DraftContext&, TokenTree& tree) override {
    ++asked;
    tree.add_chain(0, tokens);
  }
  void verified(std::span<const int> accepted, Token next) override {
    told.push_back({static_cast<int>(accepted.size()), next});
  }

  std::string title;
  Verification how = Verification::kCoupled;
  engine::TapRequest request = {};
  int observed = 100;  // tokens of the text
  std::vector<Token> tokens = {};
  std::vector<int> starts = {};
  int rows_seen = 0;
  bool rejected = false;  // whether it wants such rows
  int rejected_seen = 0;
  int asked = 0;
  std::vector<std::pair<int, int>> told = {};  // accepted, next
};

class CopyFirstTest : public testing::Test {
 protected:
  CopyFirstTest() {
    copier_->title = "copier";
    model_->title = "model";
  }
  void combine() {
    both_ = std::make_unique<CopyFirst>(std::unique_ptr<Drafter>(copier_),
                                        std::unique_ptr<Drafter>(model_));
  }

  Scripted* copier_ = new Scripted;  // both owned by `both_`
  Scripted* model_ = new Scripted;
  std::unique_ptr<CopyFirst> both_;
};

TEST_F(CopyFirstTest, DraftsWithTheModelWhereNothingIsCopied) {
  combine();
  const std::vector<Token> text = {1, 2, 3};
  both_->start(text, 0);
  model_->tokens = {8, 9};
  copier_->tokens = {7};
  const TokenTree copied = test::draft_of(*both_, text);
  EXPECT_EQ(copied.token(1), 7);
  EXPECT_EQ(copied.origin(1).drafter, copier_);
  EXPECT_EQ(model_->asked, 0);
  both_->verified(std::vector{1}, 5);
  copier_->tokens.clear();
  const TokenTree drawn = test::draft_of(*both_, text);
  EXPECT_EQ(drawn.token(2), 9);
  for (const int node : {1, 2}) EXPECT_EQ(drawn.origin(node).drafter, model_);
  both_->verified(std::vector{1, 2}, 6);
  EXPECT_EQ(copier_->told, (std::vector<std::pair<int, int>>{{1, 5}, {0, 8}}))
      << "the second was asked for nothing, and the text went on as the model's";
  EXPECT_EQ(model_->told, (std::vector<std::pair<int, int>>{{2, 6}}));
  // A pass without a draft is nobody's.
  both_->verified({}, 4);
  EXPECT_EQ(copier_->told.size() + model_->told.size(), 3u);
}

TEST_F(CopyFirstTest, NoRowIsObservedTwice) {
  copier_->request = {.layers = {2}};
  model_->request = {.layers = {1, 2}};
  copier_->observed = 20;
  model_->observed = 10;
  combine();
  EXPECT_EQ(both_->traits().wants.layers, (std::vector{2, 1}));
  EXPECT_EQ(both_->start(std::vector<Token>(30), 25), 10);
  EXPECT_EQ(copier_->starts.back(), 10);
  EXPECT_EQ(model_->starts.back(), 20);
}

TEST_F(CopyFirstTest, OnlyThoseObserveThatWantTo) {
  copier_->request = {.layers = {2}};
  combine();
  both_->observe({}, {std::vector{0, 1, 2}});
  EXPECT_EQ(copier_->rows_seen, 3);
  EXPECT_EQ(model_->rows_seen, 0);
  EXPECT_FALSE(both_->traits().wants_rejected);
}

TEST_F(CopyFirstTest, ShowsRejectedRowsToThosePartsThatWantThem) {
  copier_->request = model_->request = {.logits = true};
  model_->rejected = true;
  combine();
  EXPECT_TRUE(both_->traits().wants_rejected);
  both_->observe({}, {{}, std::vector{1, 2}});
  both_->observe({}, {std::vector{0}, std::vector{1}});
  EXPECT_EQ(model_->rejected_seen, 3);
  EXPECT_EQ(model_->rows_seen, 1);
  EXPECT_EQ(copier_->rejected_seen, 0);
  EXPECT_EQ(copier_->rows_seen, 1);
}

TEST_F(CopyFirstTest, DividesItsTime) {
  combine();
  EXPECT_EQ(both_->name(), "model");
  const auto divided = both_->report(2).seconds;
  ASSERT_EQ(divided.size(), 2u);
  EXPECT_EQ(divided[0].name, "copier");
  EXPECT_EQ(divided[1].name, "model");
  EXPECT_DOUBLE_EQ(divided[0].seconds + divided[1].seconds, 2);
}

TEST_F(CopyFirstTest, CopiesCannotBeRejectedByADistribution) {
  model_->how = Verification::kRejection;
  EXPECT_THROW(combine(), std::logic_error);
}

}  // namespace
}  // namespace outrider::draft
