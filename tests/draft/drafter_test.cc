#include "runtime/draft/drafter.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/draft/forwarding_drafter.h"
#include "tests/support/draft_of.h"

namespace outrider::draft {
namespace {

/// All that a plain drafter has to say.
class PlainDrafter : public Drafter {
 public:
  std::string name() const override { return "plain"; }

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override {
    tree.add(0, context.committed.back());
  }
};

/// Notes what it is started with, and what it takes over.
class Taking : public PlainDrafter {
 public:
  std::vector<int> most;
  std::vector<int> taken;

 protected:
  int begin(const TextStart& text) override {
    most.push_back(text.most);
    return text.kept - 1;
  }
  void take_over(const Drafter& like, int tokens) override {
    taken.push_back(tokens + static_cast<int>(static_cast<const Taking&>(like).most.size()));
  }
};

class OtherTaking : public Taking {};

TEST(Drafter, APlainOneHasANameAndFillsATree) {
  PlainDrafter drafter;
  const std::vector<Token> text = {1, 2, 3};
  EXPECT_EQ(drafter.start(text, 2), 2);
  EXPECT_EQ(test::draft_of(drafter, text).token(1), 3);
  EXPECT_TRUE(drafter.traits().wants.empty());
  EXPECT_FALSE(drafter.traits().wants_rejected);
  EXPECT_EQ(drafter.traits().most_nodes, DrafterTraits::kUsualNodes);
  EXPECT_EQ(drafter.traits().verification, Verification::kCoupled);
  const DrafterReport report = drafter.report(3);
  ASSERT_EQ(report.seconds.size(), 1U);
  EXPECT_EQ(report.seconds[0].name, "plain");
  EXPECT_EQ(report.seconds[0].seconds, 3);
  EXPECT_TRUE(report.counts.empty());
}

TEST(Drafter, ATextMayReachItsOwnLengthUnlessMoreIsSaid) {
  Taking drafter;
  const std::vector<Token> text = {1, 2, 3};
  EXPECT_EQ(drafter.start(text, 2), 1);
  EXPECT_EQ(drafter.start({text, 3, 90}), 2);
  EXPECT_EQ(drafter.most, (std::vector{3, 90}));
}

TEST(Drafter, TakesOverFromItsOwnClassOnly) {
  Taking one, same;
  OtherTaking other;
  same.start({}, 0);
  one.adopt(same, 40);
  one.adopt(other, 50);
  other.adopt(same, 60);
  EXPECT_EQ(one.taken, (std::vector{41}));
  EXPECT_TRUE(other.taken.empty());
}

TEST(Drafter, OneThatPassesCallsOnTakesOverWhatIsInside) {
  auto* const inner = new Taking;
  ForwardingDrafter outer{std::unique_ptr<Drafter>(inner)};
  ForwardingDrafter like{std::make_unique<Taking>()}, unlike{std::make_unique<OtherTaking>()};
  outer.adopt(like, 7);
  outer.adopt(unlike, 8);
  outer.adopt(Taking(), 9);
  EXPECT_EQ(inner->taken, (std::vector{7}));
}

}  // namespace
}  // namespace outrider::draft
