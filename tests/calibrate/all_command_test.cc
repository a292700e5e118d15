// `calibrate all`: what a model lacks, in order, within its minutes, and going on.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "calibrate/commands/commands.h"
#include "data/store/trace_store.h"
#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/ngrammys_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/commands/commands.h"
#include "runtime/engine/machine.h"
#include "tests/calibrate/traced_draft.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::calibrate {
namespace {

class AllCommand : public testing::Test {
 protected:
  AllCommand() {
    std::ofstream prompts(path("p.jsonl"));
    for (const char* turn : {"abc abd abc", "the cat and the hat"})
      prompts << "{\"task\": \"" << turn[0] << "\", \"turns\": [\"" << turn << "\"]}\n";
    prompts.close();
    test::write_tiny_llama(folder_.path(), "tiny.gguf", {.head_width = 32, .context = 2048}, 1,
                           model::WeightType::kQ8_0);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  test::Outcome all(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {
        "all", "-m", path("tiny.gguf"), "--prompts",    path("p.jsonl"),
        "-n",  "16", "--artifacts",     path("tiny.h5")};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_command(add_all, words);
  }
  std::vector<std::string> groups() const {
    if (!std::filesystem::exists(path("tiny.h5"))) return {};
    return artifacts::ArtifactFile(path("tiny.h5")).groups();
  }

  test::TemporaryFolder folder_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(AllCommand, DoesWhatTheModelLacksGoesOnAndSaysWhatDecodingDoesThen) {
  // Of a run whose minutes are over at once nothing is left but the plan.
  const test::Outcome cut = all({"--minutes", "0.0001"});
  EXPECT_EQ(cut.code, 0) << cut.err;
  EXPECT_TRUE(has(cut.out, "calibrate heads                  not done yet")) << cut.out;
  EXPECT_TRUE(has(cut.out, "--minutes 0.0001 are over")) << cut.out;
  EXPECT_TRUE(has(cut.err, "  it stops after --minutes 0.0001")) << cut.err;
  EXPECT_TRUE(groups().empty());

  const test::Outcome done = all();
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(groups().size(), 11U);  // besides these figures, and three methods' trials and costs
  const std::string cost = artifacts::cost_group(engine::machine_name());
  for (const std::string& group :
       {cost, std::string(artifacts::kPldPlusHeads), std::string(artifacts::kPldPlusLayer),
        std::string(artifacts::kNgrammys)}) {
    const auto found = groups();
    EXPECT_EQ(std::count(found.begin(), found.end(), group), 1) << group;
  }
  // The plan is there before the work, which has its order.
  std::size_t at = done.err.find("calibrate all: about ");
  ASSERT_NE(at, std::string::npos) << done.err;
  for (const char* part :
       {"prompts answered into ", "  calibrate cost ", "  calibrate heads ", "  calibrate layer ",
        "  calibrate ngrammys ", "calibrate ssd is left out: there is no draft model (train draft)",
        "calibrate cost --model", "calibrate heads --model", "calibrate layer --model",
        "calibrate ngrammys --model"}) {
    const std::size_t next = done.err.find(part, at);
    ASSERT_NE(next, std::string::npos) << part << "\n" << done.err;
    at = next;
  }
  // Settings are priced by the times of the first step, and found on the same traces.
  EXPECT_TRUE(has(done.out, "predicted from what `calibrate cost` measured")) << done.out;
  EXPECT_EQ(data::TraceStore(path("tiny.traces")).missing().size(), 0U);
  // Decoding does what is said.
  const std::size_t says = done.out.find("runtime decode --model " + path("tiny.gguf"));
  ASSERT_NE(says, std::string::npos) << done.out;
  const std::string line = done.out.substr(says, done.out.find('\n', says) - says);
  const std::string method = line.substr(line.rfind(": ") + 2);
  const test::Outcome decoded = test::run_command(
      add_decode, {"decode", "-m", path("tiny.gguf"), "--artifacts", path("tiny.h5"), "-p", "hello",
                   "-n", "4", "-t", "1", "--json", "-"});
  ASSERT_EQ(decoded.code, 0) << decoded.err;
  EXPECT_TRUE(has(decoded.out, "\"method\":\"" + method.substr(0, method.find(',')) + "\""))
      << method << decoded.out;

  const auto before = std::filesystem::last_write_time(path("tiny.h5"));
  const test::Outcome again = all();
  ASSERT_EQ(again.code, 0) << again.err;
  for (const char* step : {"cost", "heads", "layer", "ngrammys"})
    EXPECT_TRUE(has(again.err, std::string("calibrate ") + step +
                                   " is left out: " + path("tiny.h5") + " has it"))
        << again.err;
  EXPECT_EQ(std::filesystem::last_write_time(path("tiny.h5")), before);
}

class AllOfDrafters : public test::TracedDraft {
 protected:
  void SetUp() override { make({"-n", "40", "--temperature", "1"}); }
};

TEST_F(AllOfDrafters, AreDoneFromTracesThatAreGiven) {
  // The context is too short for times of passes: the other steps are done all the same.
  const test::Outcome done = run_on_traces(add_all, "all", {"--threads", "1"});
  EXPECT_EQ(done.code, 2) << done.err;
  EXPECT_TRUE(
      has(done.out, "calibrate cost                   not done: --model: expected a context"))
      << done.out;
  for (const char* step : {"heads ", "layer ", "ngrammys ", "ssd ", "gsd "}) {
    const std::size_t line = done.out.find(std::string("\ncalibrate ") + step);
    ASSERT_NE(line, std::string::npos) << done.out;
    EXPECT_TRUE(has(done.out.substr(line + 1, done.out.find('\n', line + 1) - line), " done in "))
        << done.out;
  }
  EXPECT_TRUE(has(done.err, "calibrate all: calibrate cost not done")) << done.err;
  const artifacts::ArtifactFile file(path("tiny.h5"));
  EXPECT_TRUE(file.has(artifacts::kPldPlusLayer));
}

}  // namespace
}  // namespace outrider::calibrate
