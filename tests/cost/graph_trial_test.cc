#include "runtime/cost/graph_trial.h"

#include <gtest/gtest.h>

namespace outrider::cost {
namespace {

// Ten rounds that made 30 tokens: 20 of them were drafted, 5 of these as second children and later, and three rounds
// accepted some through a merged node.
TEST(GraphTrial, HasTheSharesOfThePaper) {
  GraphTrial trial;
  trial.rounds = 10;
  trial.tokens = 30;
  trial.rounds_with_copies = 3;
  trial.later_children = 5;
  EXPECT_DOUBLE_EQ(trial.acceptance(), 2 / 3.0);
  EXPECT_DOUBLE_EQ(trial.graph_success(), 0.3);
  EXPECT_DOUBLE_EQ(trial.share_of_later_children(), 0.25);
  trial.tokens = 10;
  EXPECT_EQ(trial.acceptance(), 0);
  EXPECT_EQ(trial.share_of_later_children(), 0) << "nothing was accepted";
}

}  // namespace
}  // namespace outrider::cost
