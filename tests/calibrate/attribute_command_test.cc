#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "calibrate/commands/commands.h"
#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/replace_group.h"
#include "tests/methods/pld_plus_results.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::calibrate {
namespace {

TEST(AttributeCommand, LeavesOutNoCopy) {
  const test::TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  test::write_tiny_llama(folder.path(), "tiny.gguf", {.head_width = 32}, 1,
                         model::WeightType::kQ8_0);
  const auto target = artifacts::identity_of(model::load_model(path("tiny.gguf")));
  artifacts::replace_group(path("found.h5"), target, artifacts::kPldPlusLayer, {},
                           [&](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_pld_plus_layer(test::some_layer(), file, group);
                           });
  artifacts::replace_group(path("found.h5"), target, artifacts::kPldPlusHeads, {},
                           [](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_pld_plus_heads(test::two_chosen_heads(), file, group);
                           });
  std::ofstream(path("marked.jsonl"))
      << R"({"turns": ["Mark.\n\nSource 1 (a): dfgh\n\nQuestion: 0?"], "reference": "[ 1 dfgh ]"})"
      << "\n";
  const auto scored = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {
        "attribute",        "-m",      path("tiny.gguf"), "--prompts",      path("marked.jsonl"),
        "--instruction",    "Answer.", "--artifacts",     path("found.h5"), "--json",
        path("scores.json")};
    words.insert(words.end(), more.begin(), more.end());
    const test::Outcome done = test::run_command(add_attribute, words);
    EXPECT_EQ(done.code, 0) << done.err;
    std::ifstream file(path("scores.json"));
    return nlohmann::json::parse(file);
  };
  const nlohmann::json found = scored({});
  EXPECT_EQ(found["settings"]["layer"], 1);
  EXPECT_EQ(found["settings"]["draft_length"], 10);
  EXPECT_EQ(found["settings"]["threshold"], -1);
  EXPECT_EQ(found["instruction"], "Answer.");
  EXPECT_EQ(scored({"--threshold", "0.25"})["settings"]["threshold"], 0.25);
  EXPECT_EQ(scored({"--method", "pld-plus-a"})["settings"]["heads"], "2:1,1:3");
}

}  // namespace
}  // namespace outrider::calibrate
