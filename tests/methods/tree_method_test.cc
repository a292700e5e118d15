#include "runtime/methods/tree_method.h"

#include <gtest/gtest.h>

#include "tests/methods/calibrated_target.h"
#include "tests/support/draft_of.h"
#include "tests/support/expect_input_error.h"

namespace outrider::methods {
namespace {

class TreeMethodTest : public testing::Test {
 protected:
  TreeMethodTest() {
    tsd_.settings.artifacts = target_.artifacts();
    gsd_.settings.artifacts = target_.artifacts();
  }

  test::CalibratedTarget target_;
  Tsd tsd_;
  Gsd gsd_;
};

TEST_F(TreeMethodTest, TakesWhatIsNotGivenFromThePreset) {
  const auto by_default = gsd_.prepare(target_.for_methods()).record();
  EXPECT_EQ(by_default["tree_nodes"], 24);
  EXPECT_EQ(by_default["draft"], target_.artifacts());
  gsd_.settings.preset = "paper";
  const auto paper = gsd_.prepare(target_.for_methods()).record();
  EXPECT_EQ(paper["draft_length"], 10);
  EXPECT_EQ(paper["children"], 4);
  EXPECT_EQ(paper["prune_probability"], 0.2);
  EXPECT_EQ(paper["prune_siblings"], 0.3);
  EXPECT_EQ(paper["min_path"], 0);
  EXPECT_EQ(paper["tree_nodes"], 2048);
  EXPECT_EQ(paper["merge_run"], 2);
  EXPECT_EQ(paper["verify"], "coupled");
  gsd_.settings.children = 3;
  gsd_.settings.merge_run = 1;
  const auto given = gsd_.prepare(target_.for_methods()).record();
  EXPECT_EQ(given["children"], 3);
  EXPECT_EQ(given["merge_run"], 1);
  EXPECT_EQ(given["tree_nodes"], 2048);
  EXPECT_FALSE(tsd_.prepare(target_.for_methods()).record().contains("merge_run"));
}

TEST_F(TreeMethodTest, DraftsAsItsSettingsSay) {
  const std::vector<Token> text = {3, 1, 4, 1, 5};
  const auto drafted = [&](const TreeMethod& method) {
    const auto drafter = method.prepare(target_.for_methods()).new_drafter();
    EXPECT_EQ(drafter->name(), method.name());
    const auto tree = test::draft_of(*drafter, text);
    int deepest = 0;
    for (int node = 0; node < tree.size(); ++node) deepest = std::max(deepest, tree.depth(node));
    return std::pair{tree.num_drafted(), deepest};
  };
  tsd_.settings.prune_probability = gsd_.settings.prune_probability = 0;
  tsd_.settings.prune_siblings = gsd_.settings.prune_siblings = 0;
  tsd_.settings.children = gsd_.settings.children = 2;
  EXPECT_EQ(drafted(tsd_).first, 24);
  EXPECT_EQ(drafted(gsd_).first, 24);
  tsd_.settings.draft_length = gsd_.settings.draft_length = 3;
  EXPECT_EQ(drafted(tsd_), (std::pair{14, 3}));
  EXPECT_EQ(drafted(gsd_), (std::pair{14, 3}));
  tsd_.settings.tree_nodes = 9;
  EXPECT_EQ(drafted(tsd_).first, 9);
  tsd_.settings.prune_probability = 1;
  EXPECT_EQ(drafted(tsd_), (std::pair{2, 1})) << "pruned tokens are drafted all the same";
  gsd_.settings.min_path = 1;
  EXPECT_EQ(drafted(gsd_), (std::pair{2, 1}));
}

TEST_F(TreeMethodTest, CopiesFirst) {
  const auto counts = [&](const TreeMethod& method) {
    return method.prepare(target_.for_methods()).new_drafter()->counts().size();
  };
  const std::size_t alone = counts(tsd_);
  tsd_.settings.copy_first.on = gsd_.settings.copy_first.on = true;
  EXPECT_EQ(counts(tsd_), alone + 6) << "rounds, drafted and accepted tokens of both";
  EXPECT_TRUE(gsd_.capabilities().copies);
  const auto plain = target_.answer(nullptr, "abcabcabc");
  EXPECT_EQ(target_.answer(gsd_.prepare(target_.for_methods()).new_drafter(), "abcabcabc"), plain);
  tsd_.settings.copy_first = {.on = false, .trust = 2};
  test::expect_input_error([&] { tsd_.prepare(target_.for_methods()); },
                           "--copy-trust: only with --copy-first");
}

TEST_F(TreeMethodTest, RefusesRejection) {
  tsd_.settings.verify = gsd_.settings.verify = "rejection";
  test::expect_input_error([&] { gsd_.prepare(target_.for_methods()); }, "--verify", "gsd",
                           "distribution");
  test::expect_input_error([&] { tsd_.prepare(target_.for_methods()); }, "--verify", "tsd",
                           "not drawn");
  tsd_.settings.verify = "coupled";
  tsd_.settings.draft_length = 0;
  test::expect_input_error([&] { tsd_.prepare(target_.for_methods()); },
                           "--draft-length: expected at least 1");
}

}  // namespace
}  // namespace outrider::methods
