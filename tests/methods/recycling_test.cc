#include <gtest/gtest.h>

#include "tests/methods/calibrated_target.h"
#include "tests/support/draft_of.h"
#include "tests/support/expect_input_error.h"

namespace outrider::methods {
namespace {

int drafted(const PreparedMethod& method) {
  return test::draft_of(*method.new_drafter(), std::vector<Token>{4, 5, 6}).num_drafted();
}

TEST(RecyclingMethod, DraftsAsManyTokensAsPayWhereCostsAreKnown) {
  test::CalibratedTarget target;
  const auto method = target.method("recycling");
  const PreparedMethod expensive = method->prepare(target.priced(3, 1));
  EXPECT_EQ(expensive.record()["draft_nodes"], 0);
  EXPECT_EQ(expensive.record()["draft_length"], 8);
  EXPECT_EQ(expensive.record()["artifacts"], target.artifacts());
  EXPECT_EQ(drafted(expensive), 0);
  EXPECT_GT(drafted(method->prepare(target.priced(0.001, 1))), 5);
}

TEST(RecyclingMethod, DraftsAFewTokensWhereNoCostsAreKnown) {
  test::CalibratedTarget target;
  const auto method = target.method("recycling");
  const PreparedMethod prepared = method->prepare(target.for_methods());
  EXPECT_EQ(prepared.record()["draft_nodes"], 4);
  EXPECT_EQ(drafted(prepared), 4);
  fill_in(*method, "draft-nodes", 7);
  EXPECT_EQ(drafted(method->prepare(target.priced(3, 1))), 7) << "as many as were asked for";
}

TEST(RecyclingMethod, RefusesWhatItCannotDo) {
  test::CalibratedTarget target;
  const auto method = target.method("recycling");
  fill_in(*method, "draft-nodes", 0);
  test::expect_input_error([&] { (void)method->prepare(target.for_methods()); },
                           "--draft-nodes: expected at least 1", "calibrate cost");
  const auto levels = target.method("recycling");
  fill_in(*levels, "draft-length", 0);
  test::expect_input_error([&] { (void)levels->prepare(target.for_methods()); },
                           "--draft-length: expected at least 1", "");
}

}  // namespace
}  // namespace outrider::methods
