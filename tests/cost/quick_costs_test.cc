#include "runtime/cost/quick_costs.h"

#include <gtest/gtest.h>

#include <fstream>

#include "runtime/cost/quick_passes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_engine.h"

namespace outrider::cost {
namespace {

class QuickCostsTest : public testing::Test {
 protected:
  QuickCosts costs() { return costs(folder_.path()); }
  QuickCosts costs(const std::filesystem::path& folder) {
    const auto keep = [this](const std::string& text) { notices_.push_back(text); };
    return QuickCosts(folder, {keep, keep});
  }
  QuickCosts::DraftWith draft() {
    return [this](int threads) {
      ++drafts_;
      return DraftModel{draft_.engine.with_workers(threads), {}};
    };
  }

  test::TemporaryFolder folder_;
  test::TinyEngine target_{model::WeightType::kQ8_0, 1, 2};
  test::TinyEngine draft_{model::WeightType::kQ8_0, 2, 2};
  std::vector<std::string> notices_;
  int drafts_ = 0;
};

TEST_F(QuickCostsTest, AreMeasuredOnceAndKept) {
  QuickCosts first = costs();
  const double seconds = first.passes(target_.engine, "t").seconds({Shape::kChain, 5, 10});
  EXPECT_GT(seconds, 0);
  const TimedSteps steps = first.steps(target_.engine, "t", "d", draft());
  EXPECT_EQ(drafts_, 2) << "with one thread and with two";
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_NE(notices_[0].find(folder_.path().string()), std::string::npos) << notices_[0];
  QuickCosts second = costs();
  EXPECT_EQ(second.passes(target_.engine, "t").seconds({Shape::kChain, 5, 10}), seconds);
  EXPECT_EQ(second.steps(target_.engine, "t", "d", draft()).draft_seconds, steps.draft_seconds);
  EXPECT_EQ(drafts_, 2);
  EXPECT_EQ(notices_.size(), 1U);
  second.passes(target_.engine, "another target");
  EXPECT_EQ(notices_.size(), 2U);
}

TEST_F(QuickCostsTest, AreThoseThatAreKept) {
  const CostCache cache(folder_.path());
  ASSERT_TRUE(cache.write_passes(
      QuickCosts::key_of(target_.engine, "t"),
      {{{Shape::kChain, 1, 0}, 7}, {{Shape::kChain, 3, 0}, 9}, {{Shape::kTree, 3, 0}, 11}}));
  ASSERT_TRUE(
      cache.write_steps(QuickCosts::key_of(target_.engine, "t", "d"), {{1, 0.2, 4}, {2, 0.1, 1}}));
  QuickCosts known = costs();
  EXPECT_DOUBLE_EQ(known.passes(target_.engine, "t").seconds({Shape::kChain, 2, 500}), 8);
  EXPECT_EQ(known.steps(target_.engine, "t", "d", draft()).threads, 1) << "the least share";
  EXPECT_TRUE(notices_.empty());
}

TEST_F(QuickCostsTest, AreMeasuredAgainWhereNothingCanBeKept) {
  std::ofstream(folder_.path() / "file") << "no folder";
  QuickCosts refused = costs(folder_.path() / "file");
  const double seconds = refused.passes(target_.engine, "t").seconds({Shape::kTree, 3, 10});
  ASSERT_EQ(notices_.size(), 2U);
  EXPECT_NE(notices_[1].find("cannot be written"), std::string::npos) << notices_[1];
  EXPECT_EQ(refused.passes(target_.engine, "t").seconds({Shape::kTree, 3, 10}), seconds)
      << "once a process";
  refused.steps(target_.engine, "t", "d", draft());
  EXPECT_EQ(notices_.size(), 2U);
  QuickCosts nowhere("");
  EXPECT_GT(nowhere.passes(target_.engine, "t").seconds({Shape::kTree, 3, 10}), 0);
}

TEST_F(QuickCostsTest, PassesOverMoreRowsAreNeverCheaper) {
  std::map<Shape, std::map<int, double>> before;
  for (const TimedPass& pass : time_quickly(target_.engine)) {
    double& last = before[pass.point.shape][pass.point.context];
    EXPECT_GE(pass.seconds, last) << pass.point.rows;
    last = pass.seconds;
  }
  EXPECT_EQ(before.size(), 2U);
  EXPECT_EQ(made_ascending({1, 2, 4}), (std::vector<double>{1, 2, 4}));
  const std::vector<double> pooled = made_ascending({1, 8, 2, 16, 4, 8});
  const double expected[] = {1, 4, 4, 8, 8, 8};
  for (std::size_t i = 0; i < pooled.size(); ++i) EXPECT_NEAR(pooled[i], expected[i], 1e-12) << i;
}

}  // namespace
}  // namespace outrider::cost
