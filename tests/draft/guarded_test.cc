#include "runtime/draft/guarded.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "tests/support/draft_of.h"

namespace outrider::draft {
namespace {

/// Drafts so many tokens at every step, and notes what it is told.
class Steady : public Drafter {
 public:
  std::string name() const override { return "steady"; }
  DrafterTraits traits() const override {
    return {.wants = {.layers = {1}}, .wants_rejected = true};
  }
  void observe(const engine::Pass&, const ObservedRows& rows) override {
    rows_seen += static_cast<int>(rows.kept.size());
    rejected_seen += static_cast<int>(rows.rejected.size());
  }
  void fill(const DraftContext&, TokenTree& tree) override {
    ++asked;
    tree.add_chain(0, std::vector<Token>(static_cast<std::size_t>(length), 7));
  }
  void verified(std::span<const int>, Token) override { ++told; }

  int length = 1;
  int asked = 0;
  int told = 0;
  int rows_seen = 0;
  int rejected_seen = 0;
};

class GuardedTest : public testing::Test {
 protected:
  /// A row adds `row` of a pass after short texts, and ten times as much from 100 tokens on.
  void guard(double row, double step) {
    const auto passes = [](double each) { return std::vector<double>{1, 1 + each, 1 + 2 * each}; };
    guarded_ =
        std::make_unique<Guarded>(std::unique_ptr<Drafter>(drafter_),
                                  DraftPrices{{{0, passes(row)}, {100, passes(10 * row)}}, step});
    guarded_->start(text_, 0);
  }
  /// Rounds that accept so many tokens of each draft. @return how often the drafter was asked
  int rounds(int count, int accepted) {
    const int before = drafter_->asked;
    for (int i = 0; i < count; ++i) {
      const int drafted = test::draft_of(*guarded_, text_).num_drafted();
      std::vector<int> nodes(static_cast<std::size_t>(std::min(accepted, drafted)));
      std::iota(nodes.begin(), nodes.end(), 1);
      const int asked = drafter_->asked, told = drafter_->told;
      guarded_->verified(nodes, 3);
      EXPECT_EQ(drafter_->told - told, drafted > 0) << "of its own drafts only";
      EXPECT_EQ(drafter_->asked, asked);
      text_.resize(text_.size() + nodes.size() + 1, 3);
    }
    return drafter_->asked - before;
  }

  Steady* drafter_ = new Steady;  // owned by guarded_
  std::unique_ptr<Guarded> guarded_;
  std::vector<Token> text_ = {1, 2, 3};
};

TEST_F(GuardedTest, StopsWhatIsNeverAccepted) {
  guard(0.1, 0.31);
  EXPECT_EQ(rounds(21, 0), 5) << "at 0.41 of a pass, then a pause of 16 tokens";
  EXPECT_EQ(rounds(2, 0), 2) << "tried again";
  EXPECT_EQ(rounds(32, 0), 0);
  ASSERT_EQ(guarded_->report(0).counts.size(), 1u);
  EXPECT_EQ(guarded_->report(0).counts[0].name, "paused_rounds");
  EXPECT_EQ(guarded_->report(0).counts[0].count, 16 + 32);
  guarded_->start(text_, 0);
  EXPECT_EQ(guarded_->report(0).counts[0].count, 0);
  EXPECT_EQ(rounds(1, 0), 1) << "another text";
}

TEST_F(GuardedTest, NeverStopsWhatPays) {
  guard(0.01, 0.3);
  EXPECT_EQ(rounds(300, 1), 300);
  EXPECT_EQ(guarded_->name(), "steady");
}

TEST_F(GuardedTest, PricesRowsAfterTheTextSoFar) {
  guard(0.09, 0);
  text_.resize(100, 3);
  EXPECT_EQ(rounds(3, 0), 3);
  EXPECT_EQ(rounds(1, 0), 0) << "0.9 of a pass each";
}

TEST_F(GuardedTest, PricesLongDraftsInProportion) {
  guard(0.11, 0);
  drafter_->length = 20;
  rounds(1, 0);
  EXPECT_EQ(rounds(1, 0), 0) << "2.2 passes";
}

TEST_F(GuardedTest, RoundsWithoutADraftCostNothing) {
  guard(0.1, 0.5);
  drafter_->length = 0;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(test::draft_of(*guarded_, text_).num_drafted(), 0);
    guarded_->verified({}, 3);
  }
  EXPECT_EQ(drafter_->asked, 50);
}

TEST_F(GuardedTest, ObservesWhileItRests) {
  guard(0.1, 2);
  rounds(5, 0);
  EXPECT_EQ(guarded_->traits().wants.layers, (std::vector{1}));
  EXPECT_TRUE(guarded_->traits().wants_rejected);
  guarded_->observe({}, {std::vector{0, 1}, std::vector{2, 3, 4}});
  EXPECT_EQ(drafter_->rows_seen, 2);
  EXPECT_EQ(drafter_->rejected_seen, 3);
}

TEST_F(GuardedTest, NeedsPrices) {
  EXPECT_THROW(Guarded(std::unique_ptr<Drafter>(drafter_), {}), std::logic_error);
}

}  // namespace
}  // namespace outrider::draft
