// `calibrate parallelspec`, with a drafter of artifacts and one of a file.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calibrate/commands/commands.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/engine/machine.h"
#include "tests/calibrate/traced_draft.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::calibrate {
namespace {

using Flavour = draft::ParallelSpecModel::Flavour;

class ParallelSpecCommandTest : public test::TracedDraft,
                                public testing::WithParamInterface<Flavour> {
 protected:
  void SetUp() override {
    make({"-n", "24", "--samples", "2", "--temperature", "0", "1"});
    write_drafter("tiny.h5");
  }
  void write_drafter(const char* name) const {
    const model::Model target = model::load_model(path("tiny.gguf"));
    artifacts::replace_group(path(name), artifacts::identity_of(target), drafter_group(), {},
                             [&](hdf5::Writer& file, const std::string& group) {
                               artifacts::write_parallelspec(
                                   test::tiny_parallelspec(target, {.flavour = GetParam()}, 4),
                                   file, group);
                             });
  }
  static std::string drafter_group() { return artifacts::parallelspec_group(GetParam()); }
  static bool one_by_one() { return GetParam() == Flavour::kEagleAr; }
  test::Outcome run(const std::vector<std::string>& more, const char* positions = "12") const {
    std::vector<std::string> flags = {
        "--positions", positions,   "--children", "3",         "--depths",
        "3",           "--threads", "1",          "--flavour", draft::name_of(GetParam())};
    flags.insert(flags.end(), more.begin(), more.end());
    return run_on_traces(add_parallelspec, "parallelspec", flags);
  }
};

TEST_P(ParallelSpecCommandTest, StoresSettingsForTheDrafterOfTheArtifacts) {
  const test::Outcome done = run({});
  ASSERT_EQ(done.code, 0) << done.err;
  for (const char* expected :
       {"Temperature 0: ", "Temperature 1: ", "\nchosen ", "--tree ", "--draft-threshold"})
    EXPECT_NE(done.out.find(expected), std::string::npos) << done.out;
  const artifacts::ArtifactFile file(path("tiny.h5"));
  EXPECT_TRUE(file.has(drafter_group()));
  const std::string method = draft::method_of(GetParam());
  const std::string group = artifacts::trials_group(method);
  EXPECT_EQ(artifacts::read_provenance(file.reader(), group).command, "calibrate parallelspec");
  const cost::Trials found = artifacts::read_trials(file.reader(), group);
  EXPECT_EQ(found.drafter, artifacts::group_hash(file, drafter_group()));
  const auto drafting = artifacts::read_drafting_cost(
      file.reader(), artifacts::drafting_cost_group(engine::machine_name(), method));
  EXPECT_EQ(drafting.drafter, found.drafter);
  EXPECT_EQ(drafting.threads, 1);
  EXPECT_EQ(drafting.draft_threads, 1);
  ASSERT_EQ(found.by_temperature.size(), 2u);
  for (const cost::TemperatureTrials& one : found.by_temperature) {
    EXPECT_GE(one.positions, 2);
    EXPECT_LE(one.positions, 12);
    bool has_chain = false, has_tree = false;
    for (const cost::Trial& trial : one.trials) {
      const bool is_chain = trial.settings.at("tree") == cost::SettingValue("chain");
      EXPECT_EQ(trial.shape == cost::Shape::kChain, is_chain);
      (is_chain ? has_chain : has_tree) = true;
      EXPECT_LE(cost::number_of(trial.settings, "draft-length"), 3);
      EXPECT_GE(trial.tokens, trial.rounds);
      EXPECT_EQ(trial.verified.passes(), trial.rounds);
      EXPECT_GE(trial.drafting.passes(), trial.rounds);
      if (!one_by_one()) {
        EXPECT_EQ(trial.drafting.passes(), trial.rounds);
      }
    }
    EXPECT_TRUE(has_chain);
    EXPECT_EQ(has_tree, !one_by_one());
  }
}

TEST_P(ParallelSpecCommandTest, StoresThoseOfAFileThatIsNamedBesideTheOwn) {
  write_drafter("other.h5");
  const test::Outcome done = run({"--draft", path("other.h5"), "--json", "-"}, "0");
  ASSERT_EQ(done.code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json["draft"], path("other.h5"));
  EXPECT_EQ(json["method"], draft::method_of(GetParam()));
  ASSERT_EQ(json["temperatures"].size(), 2u);
  for (const auto& one : json["temperatures"]) {
    int found = 0;
    for (const auto& setting : one["settings"]) {
      if (setting["tree"] != "chain" || setting["draft_length"] != 3 ||
          setting["draft_threshold"] != 0)
        continue;
      ++found;
      EXPECT_EQ(setting["drafted_per_round"], 3);
      EXPECT_EQ(setting["verified_rows_per_round"], 4);
      EXPECT_EQ(setting["draft_passes_per_round"], one_by_one() ? 3 : 1);
    }
    EXPECT_EQ(found, 1);
  }
  const artifacts::ArtifactFile file(path("tiny.h5"));
  const std::string method = draft::method_of(GetParam());
  EXPECT_FALSE(file.has(artifacts::trials_group(method)));
  const std::string hash = artifacts::group_hash(artifacts::ArtifactFile(path("other.h5")),
                                                 artifacts::parallelspec_group(GetParam()));
  EXPECT_EQ(artifacts::read_trials(file.reader(), artifacts::trials_group(method, hash)).drafter,
            hash);
}

TEST_P(ParallelSpecCommandTest, RefusesWhatItCannotUse) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    const test::Outcome done = run(more);
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(done.err.find(why), std::string::npos) << done.err;
  };
  refused({"--flavour", "hawk"}, "--flavour");
  refused({"--tree-nodes", "0"}, "--tree-nodes");
  refused({"--draft", path("none.h5")}, "none.h5");
  refused({"--draft-threads", "3"}, "--draft-threads: expected 1");
  std::filesystem::remove(path("tiny.h5"));
  refused({}, "found none for tiny.gguf");
}

INSTANTIATE_TEST_SUITE_P(, ParallelSpecCommandTest, testing::ValuesIn(draft::kFlavours),
                         [](const auto& flavour) {
                           std::string name = draft::name_of(flavour.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace outrider::calibrate
