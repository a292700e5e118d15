#include "runtime/methods/gsd.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/engine/machine.h"
#include "runtime/methods/gsd.h"
#include "tests/methods/calibrated_target.h"
#include "tests/support/draft_of.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/some_trials.h"

namespace outrider::methods {
namespace {

class GsdTest : public testing::Test {
 protected:
  GsdTest() {
    tsd_.settings.artifacts = target_.artifacts();
    gsd_.settings.artifacts = target_.artifacts();
  }

  test::CalibratedTarget target_;
  Gsd tsd_{false};
  Gsd gsd_{true};
};

TEST_F(GsdTest, TakesWhatIsNotGivenFromThePreset) {
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
  EXPECT_EQ(given["draft_depth"], 10);
  const auto of_tree = tsd_.prepare(target_.for_methods()).record();
  EXPECT_FALSE(of_tree.contains("merge_run"));
  EXPECT_FALSE(of_tree.contains("draft_depth"));
}

TEST_F(GsdTest, DraftsAsItsSettingsSay) {
  const std::vector<Token> text = {3, 1, 4, 1, 5};
  const auto drafted = [&](const Gsd& method) {
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

TEST_F(GsdTest, HasPathsAsDeepAsAsked) {
  const auto deepest = [&] {
    const auto drafter = gsd_.prepare(target_.for_methods()).new_drafter();
    const auto tree = test::draft_of(*drafter, std::vector<Token>{3, 1, 4, 1, 5}, 2048);
    int most = 0;
    for (int node = 0; node < tree.size(); ++node) most = std::max(most, tree.depth(node));
    return most;
  };
  gsd_.settings.prune_probability = gsd_.settings.prune_siblings = 0;
  gsd_.settings.merge_run = 1;
  gsd_.settings.draft_length = 3;
  gsd_.settings.tree_nodes = 2048;
  EXPECT_EQ(gsd_.prepare(target_.for_methods()).new_drafter()->traits().most_nodes, 2048);
  EXPECT_EQ(deepest(), 3);
  for (const int depth : {4, 5}) {
    gsd_.settings.draft_depth = depth;
    EXPECT_EQ(deepest(), depth);
  }
  gsd_.settings.draft_depth = 2;
  test::expect_input_error([&] { gsd_.prepare(target_.for_methods()); },
                           "--draft-depth: expected at least 3, the levels that are drafted",
                           "found 2");
}

TEST_F(GsdTest, CopiesFirst) {
  const auto parts = [&](const Gsd& method) {
    return method.prepare(target_.for_methods()).new_drafter()->report(1).seconds.size();
  };
  const std::size_t alone = parts(tsd_);
  tsd_.around.copy_first.on = gsd_.around.copy_first.on = true;
  EXPECT_EQ(parts(tsd_), alone + 1) << "the copier's time";
  EXPECT_TRUE(gsd_.capabilities().copies);
  const auto plain = target_.answer(nullptr, "abcabcabc");
  EXPECT_EQ(target_.answer(gsd_.prepare(target_.for_methods()).new_drafter(), "abcabcabc"), plain);
  tsd_.around.copy_first = {.on = false, .least_speed_up = 2};
  test::expect_input_error([&] { tsd_.prepare(target_.for_methods()); },
                           "--copy-min-speed-up: only with --copy-first");
}

TEST_F(GsdTest, HaveDraftsOfOtherMethodsInTheirTrees) {
  const auto names = [&](const Gsd& method) {
    std::vector<std::string> all;
    for (const auto& one : method.prepare(target_.for_methods()).new_drafter()->report(1).seconds)
      all.push_back(one.name);
    return all;
  };
  for (Gsd* method : {&tsd_, &gsd_}) {
    std::vector<std::string> expected = {"context-ngram", "pld", "pld-plus-h", "pld-plus-a"};
    method->around.sources = expected;
    for (const std::string& own : names(*method))
      if (own.rfind(method->name(), 0) == 0) expected.push_back(own);
    EXPECT_EQ(names(*method), expected);
    const auto plain = target_.answer(nullptr, "abcabcabc");
    EXPECT_EQ(target_.answer(method->prepare(target_.for_methods()).new_drafter(), "abcabcabc"),
              plain);
    method->around.sources = {"pld", "ar"};
    test::expect_input_error(
        [&] { method->prepare(target_.for_methods()); },
        "--sources: expected some of pld, context-ngram, pld-plus-h, pld-plus-a, unigram, ",
        "found 'ar'");
  }
  tsd_.around.sources = {"pld"};
  tsd_.settings.verify = "rejection";
  test::expect_input_error([&] { tsd_.prepare(target_.for_methods()); },
                           "--sources: not with --verify rejection");
}

TEST_F(GsdTest, OnlyTreesAreVerifiedByRejection) {
  EXPECT_FALSE(tsd_.capabilities().changes_text);
  tsd_.settings.verify = gsd_.settings.verify = "rejection";
  EXPECT_TRUE(tsd_.capabilities().changes_text);
  const auto prepared = tsd_.prepare(target_.for_methods());
  EXPECT_EQ(prepared.record()["verify"], "rejection");
  EXPECT_EQ(prepared.new_drafter()->traits().verification, draft::Verification::kRejection);
  EXPECT_EQ(target_.answer(prepared.new_drafter(), "abcabcabc"),
            target_.answer(nullptr, "abcabcabc"))
      << "the same at temperature 0";
  test::expect_input_error([&] { gsd_.prepare(target_.for_methods()); },
                           "--verify: rejection is not for --method gsd", "distribution");
  tsd_.settings.tree_nodes = 3;
  test::expect_input_error([&] { tsd_.prepare(target_.for_methods()); },
                           "--tree-nodes: expected with --verify rejection at least 4", "found 3");
  tsd_.settings.children = 3;
  tsd_.prepare(target_.for_methods());
  tsd_.around.copy_first.on = true;
  test::expect_input_error([&] { tsd_.prepare(target_.for_methods()); },
                           "--copy-first: not with --verify rejection");
}

TEST_F(GsdTest, RefusesALengthForEachStep) {
  tsd_.settings.draft_length = 0;
  test::expect_input_error([&] { tsd_.prepare(target_.for_methods()); },
                           "--draft-length: expected at least 1");
}

/// At temperature 0 a tree of two children and a graph of three are the fastest, at 1 a chain.
class CalibratedGsdTest : public GsdTest {
 protected:
  CalibratedGsdTest() { write_trials(hash_); }
  void write_trials(const std::string& drafter) const {
    target_.write_trials("tsd", test::some_graph_trials(drafter, false));
    target_.write_trials("gsd", test::some_graph_trials(drafter, true));
  }
  /// @param row  what a row adds to a pass over one
  void write_cost(const cost::DraftingCost& drafting, double row = 0.1,
                  const std::string& machine = engine::machine_name()) const {
    for (const char* method : {"tsd", "gsd"}) target_.write_cost(machine, method, drafting, row);
  }
  static std::string text_of(const Gsd& method, const MethodTarget& target) {
    const auto record = method.prepare(target).record();
    std::string text =
        fmt::format("k {} p {} s {} m {} steps {} nodes {}", record["children"].get<int>(),
                    record["prune_probability"].get<double>(),
                    record["prune_siblings"].get<double>(), record["min_path"].get<double>(),
                    record["draft_length"].get<int>(), record["tree_nodes"].get<int>());
    if (record.contains("merge_run"))
      text += fmt::format(" tau {}", record["merge_run"].get<int>());
    return text;
  }
  std::string resolved(const Gsd& method, double temperature = 0) {
    return text_of(method, target_.for_methods(temperature));
  }

  const std::string hash_ = artifacts::draft_hash(artifacts::ArtifactFile(target_.artifacts()));
  const cost::DraftingCost drafting_ = target_.drafting_cost(hash_);
  const std::string tree_ = "k 2 p 0.25 s 0.5 m 0.125 steps 4 nodes 6";
  const std::string graph_ = "k 3 p 0.25 s 0.5 m 0 steps 5 nodes 7 tau 2";
  const std::string chain_ = "k 1 p 0.5 s 0 m 0 steps 3 nodes 256";
  const std::string uncalibrated_ = "k 4 p 0.2 s 0.3 m 0 steps 10 nodes 24";
};

TEST_F(CalibratedGsdTest, DraftsAsCalibrationFoundFastestAtTheTemperature) {
  EXPECT_EQ(resolved(tsd_), uncalibrated_) << "without any costs";
  write_cost(drafting_);
  EXPECT_EQ(resolved(tsd_), tree_);
  EXPECT_EQ(resolved(gsd_), graph_);
  EXPECT_EQ(resolved(tsd_, 0.9), chain_);
  EXPECT_EQ(resolved(gsd_, 0.9), chain_ + " tau 2") << "the paper's, which a chain does not use";
  const auto plain = target_.answer(nullptr, "abcabcabc");
  EXPECT_EQ(target_.answer(gsd_.prepare(target_.for_methods()).new_drafter(), "abcabcabc"), plain);
  tsd_.settings.preset = "paper";
  EXPECT_EQ(resolved(tsd_), "k 4 p 0.2 s 0.3 m 0 steps 10 nodes 2048");
}

TEST_F(CalibratedGsdTest, FlagsOverrideAndTheRestIsFastestWithThem) {
  write_cost(drafting_);
  tsd_.settings.children = 1;
  EXPECT_EQ(resolved(tsd_), chain_);
  tsd_.settings.children = 5;
  EXPECT_EQ(resolved(tsd_), "k 5 p 0.25 s 0.5 m 0.125 steps 4 nodes 6") << "as with 2";
  gsd_.settings.tree_nodes = 9;
  gsd_.settings.merge_run = 1;
  EXPECT_EQ(resolved(gsd_), "k 3 p 0.25 s 0.5 m 0 steps 5 nodes 9 tau 1");
}

TEST_F(CalibratedGsdTest, HasAsFewThresholdsAsOneThatIsHardlySlower) {
  cost::Trials trials = test::some_graph_trials(hash_, false);
  cost::TemperatureTrials& greedy = trials.by_temperature[0];
  cost::Trial fewer = greedy.trials[1];
  fewer.settings["min-path"] = fewer.settings["prune-siblings"] = 0.0;
  for (const int rows : {1, 1, 1}) fewer.drafting.add(rows);
  greedy.trials.push_back(fewer);
  target_.write_trials("tsd", trials);
  cost::DraftingCost cheap = drafting_;
  for (double& share : cheap.shares)
    share *= 0.01;  // of which three more passes take 0.1 % of a round
  write_cost(cheap);
  EXPECT_EQ(resolved(tsd_), "k 2 p 0.25 s 0 m 0 steps 4 nodes 6");
  greedy.trials[2].settings["tree-nodes"] = 8.0;
  target_.write_trials("tsd", trials);
  EXPECT_EQ(resolved(tsd_), tree_) << "of more nodes";
  greedy.trials[2].settings["tree-nodes"] = 6.0;
  target_.write_trials("tsd", trials);
  write_cost(drafting_);
  EXPECT_EQ(resolved(tsd_), tree_) << "slower by more than 1 %";
}

TEST_F(CalibratedGsdTest, TakesOtherMachinesCostsWhereThisMachinesAreNotKnown) {
  write_cost(drafting_, 0.1, "another machine");
  EXPECT_EQ(resolved(tsd_), tree_);
  // Two rounds: 4 tokens of 3 rows, or 6 of 5 rows; a pass of the draft model over two rows and one over one.
  EXPECT_EQ(text_of(tsd_, target_.priced(0.01, 0.01)), tree_);
  EXPECT_EQ(text_of(tsd_, target_.priced(0.9, 0.01)), "k 1 p 0.5 s 0 m 0 steps 3 nodes 0")
      << "rows are expensive, for a chain too";
  write_trials("another draft model's");
  EXPECT_EQ(resolved(tsd_), uncalibrated_);
}

TEST_F(CalibratedGsdTest, TimesAreThoseOfTheSameDraftModelAndEngine) {
  const std::string none = "k 2 p 0.25 s 0.5 m 0.125 steps 4 nodes 0";
  const auto with = [&](auto change) {
    cost::DraftingCost stored = drafting_;
    change(stored);
    write_cost(stored);
    return text_of(tsd_, target_.priced(0.01, 9));
  };
  EXPECT_EQ(with([](auto&) {}), tree_) << "steps cost what was stored";
  EXPECT_EQ(with([](auto& stored) { stored.isa = "another"; }), none)
      << "steps cost what was timed here";
  EXPECT_EQ(with([](auto& stored) { stored.numerics = "another"; }), none);
  EXPECT_EQ(with([](auto& stored) { stored.threads += 7; }), none);
  EXPECT_EQ(with([](auto& stored) { stored.drafter = "another"; }), none);
}

TEST_F(CalibratedGsdTest, HasAsManyThreadsAsWereFasterOnThisMachine) {
  const int all = target_.target().engine().workers();
  ASSERT_GT(all, 1);
  const auto threads = [&] {
    return tsd_.prepare(target_.for_methods()).record()["draft_threads"].get<int>();
  };
  cost::DraftingCost stored = drafting_;
  stored.draft_threads = 1;
  write_cost(stored, 0.1, "another machine");
  EXPECT_EQ(threads(), all);
  write_cost(stored);
  EXPECT_EQ(threads(), 1);
}

TEST_F(CalibratedGsdTest, DraftsNothingWherePlainDecodingIsAboutAsFast) {
  write_cost(drafting_, 1);
  const auto nodes = [&](double temperature) {
    return gsd_.prepare(target_.for_methods(temperature)).record()["tree_nodes"].get<int>();
  };
  EXPECT_EQ(nodes(0), 0);
  EXPECT_EQ(nodes(1), 256);
  const std::vector<Token> text = {3, 1, 4, 1, 5};
  const auto drafter = gsd_.prepare(target_.for_methods()).new_drafter();
  EXPECT_EQ(test::draft_of(*drafter, text).num_drafted(), 0);
  gsd_.settings.children = 3;
  EXPECT_EQ(nodes(0), 7) << "unless a graph is asked for";
}

TEST_F(CalibratedGsdTest, CopiesFirstWhatIsFasterThanTheTree) {
  write_cost(drafting_);
  gsd_.around.copy_first.on = true;
  const auto record = gsd_.prepare(target_.for_methods()).record();
  EXPECT_NEAR(record["copy_min_speed_up"].get<double>(), 7 / (2 * (1.5 + 0.1 + 0.12)), 1e-9);
}

TEST_F(CalibratedGsdTest, PausesWhereThePassesOfItsModelCostMoreThanTheySave) {
  tsd_.around.guard = "on";
  tsd_.settings.children = 2;
  cost::DraftingCost stored = drafting_;
  for (const double share : {0.001, 1.0}) {
    stored.shares = {share, share, share};
    write_cost(stored);
    const auto drafter = tsd_.prepare(target_.priced(0, 9)).new_drafter();  // rows cost nothing
    std::vector<Token> text = {3, 1, 4, 1, 5};
    drafter->start(text, 0);
    for (int round = 0; round < 4; ++round) {
      text.push_back(9);
      (void)test::draft_of(*drafter, text);
      drafter->verified({}, 9);
    }
    const auto counts = drafter->report(0).counts;
    const auto paused = std::find_if(counts.begin(), counts.end(),
                                     [](const auto& one) { return one.name == "paused_rounds"; });
    ASSERT_NE(paused, counts.end());
    EXPECT_EQ(paused->count > 0, share == 1) << share;
  }
}

TEST_F(CalibratedGsdTest, RefusesValuesThatNoFlagTakes) {
  write_cost(drafting_);
  const auto refused = [&](const char* name, const cost::SettingValue& value,
                           const std::string& why) {
    cost::Trials trials = test::some_graph_trials(hash_, false);
    for (cost::Trial& one : trials.by_temperature[0].trials) one.settings[name] = value;
    target_.write_trials("tsd", trials);
    test::expect_input_error([&] { resolved(tsd_); },
                             "tiny.h5/trials/tsd: settings/" + std::string(name) + ": expected",
                             why);
  };
  refused("children", 0.0, "expected 1 to 64, found 0");
  refused("children", 1.5, "expected a whole number, found 1.5");
  refused("min-path", 2.0, "expected 0 to 1, found 2");
  refused("min-path", "much", "expected a number, found another value");
}

TEST_F(CalibratedGsdTest, RefusesSettingsOfEarlierVersions) {
  const test::CalibratedTarget older;
  older.write("/graph_settings/a-machine", [](hdf5::Writer& file, const std::string& group) {
    file.add_text(group + "/draft", "01");
  });
  gsd_.settings.artifacts = older.artifacts();
  test::expect_input_error([&] { gsd_.prepare(target_.for_methods()); }, "tiny.h5",
                           "/graph_settings/a-machine is of an earlier version",
                           "`calibrate gsd` makes /trials/gsd in its place");
}

}  // namespace
}  // namespace outrider::methods
