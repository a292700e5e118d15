#include "runtime/methods/parallelspec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "runtime/artifacts/group_hash.h"
#include "runtime/artifacts/pair_counts_group.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/engine/machine.h"
#include "runtime/methods/loaded_parallelspec.h"
#include "tests/methods/calibrated_target.h"
#include "tests/support/draft_of.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/some_trials.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::methods {
namespace {

using draft::ParallelSpecModel;
using Flavour = ParallelSpecModel::Flavour;

constexpr const char* kAsked = "abcabcabc";

class ParallelSpecTest : public testing::TestWithParam<Flavour> {
 protected:
  ParallelSpecTest() : method_(GetParam(), "") { method_.settings.draft = target_.artifacts(); }

  ParallelSpecModel drafter() {
    return test::tiny_parallelspec(target_.target().model(), {GetParam(), true, 3}, 9);
  }
  void write(const ParallelSpecModel& model) {
    target_.write(artifacts::parallelspec_group(GetParam()),
                  [&](hdf5::Writer& file, const std::string& group) {
                    artifacts::write_parallelspec(model, file, group);
                  });
  }
  PreparedMethod prepared() { return method_.prepare(target_.for_methods()); }
  template <typename... Parts>
  void expect_refused(const Parts&... parts) {
    test::expect_input_error([&] { prepared(); }, parts...);
  }

  static bool drafts_one_by_one() { return GetParam() == Flavour::kEagleAr; }
  static bool has_heads() { return GetParam() == Flavour::kMedusaHeads; }
  /// The most tokens of a round of `drafter`.
  static int most() { return drafts_one_by_one() ? 16 : has_heads() ? 3 : 4; }

  test::CalibratedTarget target_;
  ParallelSpec method_;
};

TEST_P(ParallelSpecTest, RanksByWhatFollowsWhatWhereThatWasCounted) {
  method_.settings.artifacts = target_.artifacts();
  EXPECT_EQ(prepared().record()["follow_weight"], 0);
  method_.settings.follow_weight = 0.5;
  expect_refused("--follow-weight: found no artifact file with /pair_counts");
  target_.write("/followers", [](hdf5::Writer& file, const std::string& group) {
    file.add_number<std::int32_t>(group + "/counts", 1);
  });
  expect_refused("/followers: is of an earlier version", "`calibrate pair-counts` makes it anew");
  target_.write(artifacts::kPairCounts, [&](hdf5::Writer& file, const std::string& group) {
    std::vector<std::int32_t> occurrences(
        static_cast<std::size_t>(target_.target().model().config.vocab), 50);
    artifacts::write_pair_counts({std::move(occurrences), {{1, 2, 40}, {2, 3, 40}}}, file, group);
  });
  EXPECT_EQ(prepared().record()["follow_weight"], 0.5);
  const auto plain = target_.answer(nullptr, kAsked);
  EXPECT_EQ(target_.answer(prepared().new_drafter(), kAsked), plain);
  method_.settings.follow_weight.reset();
  EXPECT_EQ(prepared().record()["follow_weight"], drafts_one_by_one() ? 0 : 0.6)
      << "what is drafted token by token knows the one before";
  method_.settings.verify = "rejection";
  EXPECT_EQ(prepared().record()["follow_weight"], 0);
  method_.settings.follow_weight = 0.5;
  expect_refused("--follow-weight: not with --verify rejection");
}

TEST_P(ParallelSpecTest, TakesTheFileNamedOrTheArtifacts) {
  EXPECT_EQ(prepared().record()["draft"], target_.artifacts());
  method_.settings.draft.clear();
  method_.settings.artifacts = target_.artifacts();
  EXPECT_EQ(prepared().record()["draft"], target_.artifacts());
  EXPECT_EQ(prepared().record()["artifacts"], target_.artifacts());
  EXPECT_EQ(prepared().name(), method_of(GetParam()));
}

TEST_P(ParallelSpecTest, IsTimedAsItDrafts) {
  const MethodTarget target = target_.for_methods();
  std::string file = target_.artifacts(), same = file;
  const auto loaded = load_parallelspec(target, GetParam(), file, same, 1);
  EXPECT_EQ(drafter_to_time(loaded).passes, drafts_one_by_one() ? 2 : 1);
}

TEST_P(ParallelSpecTest, ResolvesItsSettings) {
  EXPECT_EQ(prepared().record()["draft_length"], drafts_one_by_one() ? 5 : most())
      << "all that three masks or heads draft, or five one by one";
  EXPECT_EQ(prepared().record()["draft_threshold"], 0.2);
  EXPECT_EQ(prepared().record()["tree"], drafts_one_by_one() ? "chain" : "best:4");
  EXPECT_EQ(prepared().record()["verify"], "coupled");
  EXPECT_EQ(prepared().record()["draft_threads"], target_.target().engine().workers());
  ParallelSpecModel model = drafter();
  model.best_length = 2;
  write(model);
  EXPECT_EQ(prepared().record()["draft_length"], 2);
  method_.settings.tree = "3,2,1";
  EXPECT_EQ(prepared().record()["draft_length"], 3) << "the tree's depths";
  EXPECT_EQ(prepared().record()["draft_threshold"], 0) << "a tree is drafted whole";
  method_.settings.threshold = 0.15;
  EXPECT_EQ(prepared().record()["draft_threshold"], 0.15);
  method_.settings.draft_length = most();
  EXPECT_EQ(prepared().record()["draft_length"], most());
  EXPECT_FALSE(method_.capabilities().changes_text);
  method_.settings.verify = "rejection";
  EXPECT_TRUE(method_.capabilities().changes_text);
  EXPECT_EQ(prepared().record()["verify"], "rejection");
  EXPECT_EQ(prepared().record()["tree"], "3,2,1");
}

TEST_P(ParallelSpecTest, DraftsChainsAndTrees) {
  const std::vector<Token> text = {3, 1, 4, 1, 5};
  method_.settings.threshold = 0;
  const auto nodes = [&](const std::string& tree) {
    method_.settings.tree = tree;
    const auto drafter = prepared().new_drafter();
    if (drafter->traits().wants.empty()) return test::draft_of(*drafter, text).num_drafted();
    // It is handed states where it decodes only.
    EXPECT_EQ(target_.answer(prepared().new_drafter(), kAsked), target_.answer(nullptr, kAsked));
    return -1;
  };
  const bool by_tokens = GetParam() == Flavour::kMedusa;
  EXPECT_EQ(nodes("chain"), by_tokens ? 4 : -1);
  EXPECT_EQ(nodes("3,2"), by_tokens ? 3 + 6 + 6 + 6 : -1);
  EXPECT_EQ(nodes("best:7"), by_tokens ? 7 : -1);
}

TEST_P(ParallelSpecTest, DecodesAsPlainDecodingDoes) {
  const std::vector<Token> plain = target_.answer(nullptr, kAsked);
  EXPECT_EQ(target_.answer(prepared().new_drafter(), kAsked), plain);
  method_.settings.threshold = 0;
  for (const std::string tree : {"chain", "2,2", "3,1,2", "best:9"}) {
    method_.settings.tree = tree;
    for (const int length : {3, most()}) {
      method_.settings.draft_length = length;
      EXPECT_EQ(target_.answer(prepared().new_drafter(), kAsked), plain);
    }
  }
}

TEST_P(ParallelSpecTest, CopiesFirst) {
  EXPECT_FALSE(method_.capabilities().copies);
  method_.around.copy_first.on = true;
  EXPECT_TRUE(method_.capabilities().copies);
  EXPECT_EQ(prepared().record()["copy_min_speed_up"], 1.5);
  EXPECT_EQ(target_.answer(prepared().new_drafter(), kAsked), target_.answer(nullptr, kAsked));
  const auto drafter = prepared().new_drafter();
  EXPECT_FALSE(drafter->report(0).counts.empty());
  method_.settings.verify = "rejection";
  expect_refused("--copy-first: not with --verify rejection");
  method_.settings.verify = "coupled";
  method_.around.copy_first = {.on = false, .least_speed_up = 2};
  expect_refused("--copy-min-speed-up: only with --copy-first");
}

TEST_P(ParallelSpecTest, RefusesOtherSettings) {
  method_.settings.draft_length = most() + 1;
  expect_refused("--draft-length: expected 1 to " + std::to_string(most()),
                 "found " + std::to_string(most() + 1));
  method_.settings.draft_length = 0;
  expect_refused("--draft-length: expected 1 to " + std::to_string(most()), "found 0");
  method_.settings.draft_length = 2;
  for (const std::string tree : {",", "3,,1", "3,0", "65", "a", "chain,1", "best",
                                 "best:", "best:0", "best:257", "best:6,1"}) {
    method_.settings.tree = tree;
    expect_refused("--tree: expected chain, or children by depth", "found '" + tree + "'");
  }
  method_.settings.tree = "2,2,2";
  expect_refused("--tree: expected at most 2 depths", "found 3");
  method_.settings.tree = "20,20";
  expect_refused("--tree: expected at most 256 nodes, found 420 down to depth 2");
  method_.settings.verify = "rejection";
  method_.settings.tree = "best:1";
  expect_refused("--verify rejection: expected --tree chain, or children by depth",
                 "found best:1: the best nodes are not drawn at random");
}

TEST_P(ParallelSpecTest, RefusesFilesOfOthers) {
  ParallelSpecModel model = drafter();
  model.layer.head_tokens[3] += 1;
  write(model);
  expect_refused("row 3 is not the row of token 11", "train it again");

  const test::TinyTarget other({}, [&](test::GgufWriter& file) {
    std::vector<std::int32_t> kinds(target_.target().model().tokenizer.tokens.size(), 1);
    std::fill_n(kinds.begin(), 4, 3);
    file.set("tokenizer.ggml.token_type", kinds);
  });
  const test::TemporaryFolder folder;
  method_.settings.draft = (folder.path() / "other.h5").string();
  artifacts::replace_group(method_.settings.draft, artifacts::identity_of(other.target().model()),
                           artifacts::parallelspec_group(GetParam()), {},
                           [&](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_parallelspec(drafter(), file, group);
                           });
  expect_refused("other.h5", "tiny.gguf");
}

TEST_P(ParallelSpecTest, RefusesAFileWithoutADrafter) {
  const test::TemporaryFolder folder;
  method_.settings.draft = (folder.path() / "other.h5").string();
  artifacts::replace_group(method_.settings.draft, artifacts::identity_of(target_.target().model()),
                           artifacts::kPldPlusLayer, {},
                           [](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_pld_plus_layer(test::some_layer(), file, group);
                           });
  expect_refused(std::string("has no ") + artifacts::parallelspec_group(GetParam()),
                 "train parallelspec --flavour");
}

/// Those that `calibrate parallelspec` finds settings of.
const auto kWithTrees = testing::ValuesIn(draft::kFlavours);

std::string name_of_flavour(const testing::TestParamInfo<Flavour>& flavour) {
  std::string name = name_of(flavour.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(, ParallelSpecTest, testing::ValuesIn(draft::kFlavours), name_of_flavour);

/// At temperature 0 a tree is the fastest, or of EAGLE-AR a chain of three; at 1 a chain.
class CalibratedParallelSpecTest : public ParallelSpecTest {
 protected:
  CalibratedParallelSpecTest() { write_trials(hash_); }
  void write_trials(const std::string& drafter) const {
    cost::Trials trials = test::some_tree_trials(drafter);
    if (drafts_one_by_one())
      for (cost::TemperatureTrials& one : trials.by_temperature)
        std::erase_if(one.trials,
                      [](const auto& trial) { return trial.shape == cost::Shape::kTree; });
    target_.write_trials(method_.name(), trials);
  }
  /// @param row  what a row adds to a pass over one
  void write_cost(double row = 0.02, const std::string& machine = engine::machine_name()) const {
    target_.write_cost(machine, method_.name(), drafting_, row);
  }
  /// "2,1,2 length 3 threshold 0.125"
  std::string resolved(const MethodTarget& target) const {
    const auto record = method_.prepare(target).record();
    const std::string tree = record.contains("tree") ? record["tree"].get<std::string>() : "chain";
    std::ostringstream text;
    text << tree << " length " << record["draft_length"].get<int>() << " threshold "
         << record["draft_threshold"].get<double>();
    return text.str();
  }
  std::string resolved(double temperature = 0) {
    return resolved(target_.for_methods(temperature));
  }
  /// Without settings, of a drafter of one pass.
  static std::string as_deep_as_can_be(const std::string& tree, const std::string& threshold) {
    return tree + " length " + std::to_string(most()) + " threshold " + threshold;
  }
  /// What is drafted at temperature 0.
  static std::string fastest() { return drafts_one_by_one() ? kChain : kTree; }

  const std::string hash_ = artifacts::group_hash(artifacts::ArtifactFile(target_.artifacts()),
                                                  artifacts::parallelspec_group(GetParam()));
  const cost::DraftingCost drafting_ = target_.drafting_cost(hash_);
  static constexpr const char* kTree = "2,1,2 length 3 threshold 0.125";
  static constexpr const char* kChain = "chain length 3 threshold 0.25";
};

TEST_P(CalibratedParallelSpecTest, DraftsAsCalibrationFoundFastestAtTheTemperature) {
  write_cost();
  EXPECT_EQ(resolved(), fastest());
  EXPECT_EQ(resolved(0.9), kChain);
  EXPECT_EQ(prepared().record()["artifacts"], target_.artifacts());
  EXPECT_EQ(target_.answer(prepared().new_drafter(), kAsked), target_.answer(nullptr, kAsked));
  method_.settings.verify = "rejection";
  EXPECT_EQ(resolved(), drafts_one_by_one() ? "chain length 5 threshold 0.2"
                                            : as_deep_as_can_be("chain", "0.2"))
      << "settings are of coupled drafts";
}

TEST_P(CalibratedParallelSpecTest, FlagsOverrideAndTheRestIsFastestWithThem) {
  write_cost();
  method_.settings.draft_length = 2;
  EXPECT_EQ(resolved(),
            drafts_one_by_one() ? "chain length 2 threshold 0" : "3 length 2 threshold 0");
  method_.settings.threshold = 0.5;
  method_.settings.draft_length.reset();
  EXPECT_EQ(resolved(), "chain length 3 threshold 0.5") << "as with 0.25";
  if (drafts_one_by_one()) return;
  method_.settings.threshold.reset();
  method_.settings.tree = "chain";
  EXPECT_EQ(resolved(), kChain);
  method_.settings.tree = "3";
  EXPECT_EQ(resolved(), "3 length 2 threshold 0");
  method_.settings.tree = "2,2";
  EXPECT_EQ(resolved(), as_deep_as_can_be("2,2", "0")) << "as without settings";
}

TEST_P(CalibratedParallelSpecTest, TakesOtherMachinesCostsWhereThisMachinesAreNotKnown) {
  write_cost(0.02, "another machine");
  EXPECT_EQ(resolved(), fastest());
  // Two rounds: 6 tokens of 9 rows, 4 of 3 or 3 of 3, and a pass of the drafter over four rows each.
  EXPECT_EQ(resolved(target_.priced(0.01, 0.01, 0, 0, hash_)), fastest());
  EXPECT_EQ(resolved(target_.priced(0.15, 0.1, 0, 0, hash_)), kChain) << "rows are dearer";
  EXPECT_EQ(resolved(target_.priced(0.9, 0.01, 0, 0, hash_)), "chain length 0 threshold 0.25")
      << "plain decoding is about as fast";
  write_trials("another drafter's");
  EXPECT_EQ(resolved(), drafts_one_by_one() ? "chain length 5 threshold 0.2"
                                            : as_deep_as_can_be("best:4", "0.2"));
}

TEST_P(CalibratedParallelSpecTest, DraftsLessWhereThatIsHardlySlower) {
  cost::Trials trials = test::some_tree_trials(hash_);
  cost::Trial shorter = trials.by_temperature[0].trials[0];
  shorter.settings["draft-length"] = 1.0;
  shorter.tokens = 995;
  shorter.drafted = 20;
  trials.by_temperature[0].trials[0].tokens = 1000;
  trials.by_temperature[0].trials.push_back(shorter);
  target_.write_trials(method_.name(), trials);
  write_cost();
  EXPECT_EQ(resolved(), kChain) << "of as many drafted tokens, or more";
  trials.by_temperature[0].trials.back().drafted = 1;
  target_.write_trials(method_.name(), trials);
  EXPECT_EQ(resolved(), "chain length 1 threshold 0.25");
  trials.by_temperature[0].trials.back().tokens = 980;
  target_.write_trials(method_.name(), trials);
  EXPECT_EQ(resolved(), kChain) << "slower by more than 1 %";
}

TEST_P(CalibratedParallelSpecTest, DraftsNothingWherePlainDecodingIsAboutAsFast) {
  write_cost(1);
  EXPECT_EQ(prepared().record()["draft_length"], 0);
  EXPECT_GT(method_.prepare(target_.for_methods(1)).record()["draft_length"], 0);
  const auto drafter = prepared().new_drafter();
  EXPECT_TRUE(drafter->traits().wants.empty());
  const std::vector<Token> text = {3, 1, 4, 1, 5};
  EXPECT_EQ(test::draft_of(*drafter, text).num_drafted(), 0);
  EXPECT_EQ(target_.answer(prepared().new_drafter(), kAsked), target_.answer(nullptr, kAsked));
  method_.settings.draft_length = 3;
  EXPECT_EQ(prepared().record()["draft_length"], 3) << "unless a draft is asked for";
}

TEST_P(CalibratedParallelSpecTest, PausesWhereItIsToAndCostsAreKnown) {
  write_cost();
  const auto pauses = [&] {
    const auto counts =
        method_.prepare(target_.priced(0.1, 0.05, 0, 0, hash_)).new_drafter()->report(0).counts;
    return std::any_of(counts.begin(), counts.end(),
                       [](const auto& one) { return one.name == "paused_rounds"; });
  };
  EXPECT_FALSE(pauses());
  method_.around.guard = "on";
  EXPECT_TRUE(pauses());
  EXPECT_EQ(target_.answer(prepared().new_drafter(), kAsked), target_.answer(nullptr, kAsked));
}

TEST_P(CalibratedParallelSpecTest, CopiesFirstWhatIsFasterThanTheTree) {
  write_cost();
  method_.around.copy_first.on = true;
  EXPECT_NEAR(prepared().record()["copy_min_speed_up"].get<double>(),
              drafts_one_by_one() ? 4 / (2 * (1.04 + 0.18)) : 6 / (2 * (1.16 + 0.18)), 1e-9);
}

TEST_P(CalibratedParallelSpecTest, RefusesCostsThatMakeNoSense) {
  cost::DraftingCost broken = drafting_;
  broken.shares[0] = 0;
  target_.write_cost(engine::machine_name(), method_.name(), broken, 0.02);
  expect_refused("/shares: expected a share above 0");
}

TEST_P(CalibratedParallelSpecTest, RefusesTreesAndSettingsThatMakeNoSense) {
  write_cost();
  cost::Trials trials = test::some_tree_trials(hash_);
  for (cost::Trial& one : trials.by_temperature[0].trials) one.settings["tree"] = "65";
  target_.write_trials(method_.name(), trials);
  expect_refused("--tree: expected chain, or children by depth", "found '65'");
  const test::CalibratedTarget older;
  older.write(
      "/tree_settings/" + std::string(draft::name_of(GetParam())) + "/m",
      [](hdf5::Writer& file, const std::string& group) { file.add_text(group + "/draft", "01"); });
  method_.settings.artifacts = older.artifacts();
  expect_refused("is of an earlier version", "`calibrate parallelspec --flavour " +
                                                 std::string(draft::name_of(GetParam())) +
                                                 "` makes /trials/" + method_.name());
}

INSTANTIATE_TEST_SUITE_P(, CalibratedParallelSpecTest, kWithTrees, name_of_flavour);

}  // namespace
}  // namespace outrider::methods
