// `calibrate plot`, against what the commands that measure draw themselves.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "calibrate/commands/commands.h"
#include "calibrate/ngrammys/ngrammys_figures.h"
#include "calibrate/report/stored_plot.h"
#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/disco_group.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/engine/machine.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/run_command.h"
#include "tests/support/some_trials.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::calibrate {
namespace {

class PlotCommand : public testing::Test {
 protected:
  PlotCommand() {
    std::ofstream prompts(path("p.jsonl"));
    for (const char* turn : {"abc abd abc", "the cat and the hat"})
      prompts << "{\"turns\": [\"" << turn << "\"]}\n";
    test::write_tiny_llama(folder_.path(), "tiny.gguf", {.head_width = 32, .context = 1024}, 1,
                           model::WeightType::kQ8_0);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  test::Outcome run(cli::AddCommand add, std::vector<std::string> words) const {
    const std::vector<std::string> where = {"-m", path("tiny.gguf"), "--artifacts",
                                            path("tiny.h5")};
    words.insert(words.end(), where.begin(), where.end());
    return test::run_command(add, words);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Runs a command that draws its result, and draws it again from the artifact.
  void expect_drawn_again(cli::AddCommand add, std::vector<std::string> words,
                          const std::string& group) const {
    words.insert(words.end(), {"--plot", path("first.svg")});
    const test::Outcome made = run(add, words);
    ASSERT_EQ(made.code, 0) << made.err;
    const test::Outcome drawn =
        run(add_plot, {"plot", "--group", group, "--out", path("again.svg")});
    ASSERT_EQ(drawn.code, 0) << drawn.err;
    EXPECT_GT(read("first.svg").size(), 1000U);
    EXPECT_EQ(read("again.svg"), read("first.svg")) << group;
  }

  test::TemporaryFolder folder_;
};

TEST_F(PlotCommand, DrawsWhatTheCommandsDrew) {
  const auto with_answers = [&](const char* command) {
    return std::vector<std::string>{command, "--prompts", path("p.jsonl"), "--samples", "2",
                                    "-n",    "20",        "--threads",     "1",         "--quiet"};
  };
  expect_drawn_again(add_heads, with_answers("heads"), "/pld_plus/heads");
  expect_drawn_again(add_layer, with_answers("layer"), "/pld_plus/layer");
  expect_drawn_again(add_ngrammys, with_answers("ngrammys"), kNgrammysFigures);
  expect_drawn_again(add_cost,
                     {"cost", "--threads", "1", "--rows", "1", "2", "8", "--contexts", "10",
                      "--rounds", "1", "--quiet"},
                     artifacts::cost_group(engine::machine_name()));

  const auto target = artifacts::identity_of(model::load_model(path("tiny.gguf")));
  artifacts::replace_group(
      path("tiny.h5"), target, "/trials/gsd", {}, [](hdf5::Writer& file, const std::string& group) {
        artifacts::write_trials(test::some_graph_trials("d", true), file, group);
      });
  const test::Outcome trials =
      run(add_plot, {"plot", "--group", "/trials/gsd", "--out", path("trials.svg")});
  ASSERT_EQ(trials.code, 0) << trials.err;
  for (const char* expected : {"temperature 0", "temperature 1", "most tokens per pass",
                               "drafted per round", "tree-nodes"})
    EXPECT_NE(read("trials.svg").find(expected), std::string::npos) << expected;
  EXPECT_EQ(read("trials.svg").find("merge-run"), std::string::npos) << "of one value";

  const test::Outcome unknown =
      run(add_plot, {"plot", "--group", "/ngrammys", "--out", path("x.svg")});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find(
                "/ngrammys_figures, /pld_plus/heads, /pld_plus/layer, /trials/gsd, "
                "/trials/ngrammys, /trials/pld-plus-a, /trials/pld-plus-h; found /ngrammys\n"),
            std::string::npos)
      << unknown.err;
  EXPECT_EQ(read("x.svg"), "");
}

TEST(ShippedFigures, AreThoseOfTheDefaultModelsTables) {
  const artifacts::ArtifactFile file(
      test::source_path("checkpoints/SmolLM2-135M-Instruct.Q4_1.ngrammys_figures.h5"));
  const NgrammysFigures shipped = read_ngrammys_figures(file.reader(), kNgrammysFigures);
  EXPECT_EQ(shipped.curves.drafts.back(), 25);
  EXPECT_EQ(shipped.curves.curves.size(), 7U);
  EXPECT_EQ(shipped.uses.drafts, 10);
  EXPECT_EQ(shipped.uses.sources.size(), 2U);
}

TEST(ShippedFigures, OfATrainedStopAreThoseOfItsTrials) {
  const std::string group = artifacts::kStopClassifier;
  const artifacts::ArtifactFile file(
      test::source_path("checkpoints/SmolLM2-135M-Instruct.Q4_1.stop_classifier.h5"));
  const artifacts::ArtifactSet known(file.target(), file.reader().name(), {});
  const std::string drawn = stored_plot(known, group);
  for (const char* expected : {"temperature 0", "temperature 1", "most tokens per pass"})
    EXPECT_NE(drawn.find(expected), std::string::npos) << expected;
}

TEST_F(PlotCommand, RefusesFiguresOfAnotherShape) {
  NgrammysFigures figures;
  figures.curves = {{1, 2}, {{"a", {1, 2}}, {"b", {3, 4}}}};
  figures.uses = {2, 1, {{"context", {0.5}, {0.5, 0}, {0, 0, 1}}}};
  const auto written = [&] {
    hdf5::Writer file;
    write_ngrammys_figures(figures, file, "/f");
    return hdf5::Reader(file.finish(), "made");
  };
  const NgrammysFigures read = read_ngrammys_figures(written(), "/f");
  EXPECT_EQ(read.curves.drafts, figures.curves.drafts);
  EXPECT_EQ(read.curves.curves, figures.curves.curves);
  EXPECT_EQ(read.uses.sources[0].by_drafts, figures.uses.sources[0].by_drafts);
  figures.uses.sources[0].by_drafts = {0, 1};
  test::expect_input_error([&] { read_ngrammys_figures(written(), "/f"); }, "/f/uses/by_drafts",
                           "3");
  figures.uses.drafts = 0;
  test::expect_input_error([&] { read_ngrammys_figures(written(), "/f"); }, "/f/uses/drafts",
                           "expected 1 to 256, found 0");
}

}  // namespace
}  // namespace outrider::calibrate
