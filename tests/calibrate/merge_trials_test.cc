// `calibrate merge --add`: trials on other texts.

#include <gtest/gtest.h>

#include "calibrate/commands/commands.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/artifacts/trials_group.h"
#include "tests/support/run_command.h"
#include "tests/support/some_trials.h"
#include "tests/support/temporary_folder.h"

namespace outrider::calibrate {
namespace {

class MergedTrials : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  /// @param named  of a drafter that was named: its hash; empty: it is the target's own
  void write(const std::string& name, const std::string& method, const cost::Trials& trials,
             const std::string& model = "m", const std::string& named = "") const {
    artifacts::TargetIdentity target;
    target.name = "tiny.gguf";
    target.model_hash = model;
    target.tokenizer_hash = "t";
    target.vocab = target.width = target.layers = 8;
    artifacts::replace_group(path(name), target, artifacts::trials_group(method, named),
                             {"calibrate gsd", "", 0, "traces of " + name,
                              name == "c.h5" ? "a card, sm_90" : "a processor, avx2"},
                             [&](hdf5::Writer& file, const std::string& group) {
                               artifacts::write_trials(trials, file, group);
                             });
  }
  test::Outcome merge(const std::vector<std::string>& others) const {
    std::vector<std::string> words = {"merge", path("a.h5"), "--add"};
    for (const std::string& name : others) words.push_back(path(name));
    return test::run_command(add_merge, words);
  }
  void expect_refused(const std::vector<std::string>& others, const std::string& why) const {
    const test::Outcome done = merge(others);
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(done.err.find(why), std::string::npos) << done.err;
  }

  test::TemporaryFolder folder_;
};

TEST_F(MergedTrials, AreTheSumsOfWhatWasTriedOnAllTexts) {
  const cost::Trials one = test::some_graph_trials("d", true);
  write("a.h5", "gsd", one);
  write("a.h5", "tsd", test::some_graph_trials("d", false));
  write("b.h5", "gsd", one);
  write("c.h5", "gsd", one);
  const test::Outcome done = merge({"b.h5", "c.h5"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("/trials/gsd: temperature 1: 2 settings at 60 positions"),
            std::string::npos)
      << done.out;
  EXPECT_EQ(done.out.find("/trials/tsd"), std::string::npos);
  const artifacts::ArtifactFile file(path("a.h5"));
  const cost::Trials sum = artifacts::read_trials(file.reader(), "/trials/gsd");
  EXPECT_EQ(sum.by_temperature[0].trials[1].tokens, 21);
  EXPECT_EQ(sum.by_temperature[0].trials[1].verified.passes(), 6);
  EXPECT_EQ(artifacts::read_trials(file.reader(), "/trials/tsd").by_temperature[0].positions, 20);
  const artifacts::Provenance how = artifacts::read_provenance(file.reader(), "/trials/gsd");
  EXPECT_EQ(how.command, "calibrate merge");
  EXPECT_EQ(how.traces, "traces of a.h5; traces of b.h5; traces of c.h5");
  EXPECT_EQ(how.place, "a processor, avx2; a card, sm_90");
  EXPECT_EQ(artifacts::read_trials(artifacts::ArtifactFile(path("b.h5")).reader(), "/trials/gsd")
                .by_temperature[0]
                .positions,
            20)
      << "read only";
}

TEST_F(MergedTrials, AreOfOneDrafterWhetherItWasNamedOrNot) {
  const cost::Trials of_d = test::some_graph_trials("d", true);
  const auto positions = [&](const std::string& group) {
    return artifacts::read_trials(artifacts::ArtifactFile(path("a.h5")).reader(), group)
        .by_temperature[0]
        .positions;
  };
  write("a.h5", "gsd", of_d);
  write("a.h5", "gsd", test::some_graph_trials("e", true), "m", "e");
  write("b.h5", "gsd", of_d, "m", "d");
  write("b.h5", "gsd", test::some_graph_trials("e", true));
  write("c.h5", "gsd", test::some_graph_trials("f", true), "m", "f");
  const test::Outcome done = merge({"b.h5", "c.h5"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(positions("/trials/gsd"), 40);
  EXPECT_EQ(positions("/trials/gsd/e"), 40);
  EXPECT_EQ(
      artifacts::read_provenance(artifacts::ArtifactFile(path("a.h5")).reader(), "/trials/gsd/e")
          .traces,
      "traces of a.h5; traces of b.h5");
}

TEST_F(MergedTrials, AreOfOneTargetAndDrafterAndOfTheSameSettings) {
  write("a.h5", "gsd", test::some_graph_trials("d", true));
  write("b.h5", "gsd", test::some_graph_trials("e", true));
  expect_refused({"b.h5"}, "/trials/gsd is of another drafter than that of");
  write("c.h5", "tsd", test::some_graph_trials("d", false));
  expect_refused({"c.h5"}, "--add: expected files with trials of methods that");
  cost::Trials others = test::some_graph_trials("d", true);
  for (cost::TemperatureTrials& one : others.by_temperature) one.temperature += 0.5;
  write("d.h5", "gsd", others);
  expect_refused({"d.h5"}, "expected a setting at a temperature that was tried for");
  write("f.h5", "gsd", test::some_graph_trials("d", true), "another model");
  expect_refused({"f.h5"}, "f.h5");
  expect_refused({"a.h5"}, "expected other files than");
  expect_refused({"none.h5"}, "none.h5");
}

}  // namespace
}  // namespace outrider::calibrate
