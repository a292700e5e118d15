#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/model/finite_weights.h"
#include "tests/device_check/program_output.h"
#include "tests/device_check/random_model.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::device_check {
namespace {

ProgramOutput run(const std::string& arguments) {
  return output_of(std::string(OUTRIDER_DEVICE_CHECK) + " " + arguments);
}

TEST(DeviceCheck, FindsTheProcessorsBitsAndEveryTimeOnTheEmulatedDevice) {
  const test::TemporaryFolder folder;
  const std::string json = (folder.path() / "found.json").string();
  const ProgramOutput said = run("--emulated --json " + quoted(json));
  EXPECT_EQ(said.status, 0) << said.text;
  std::ifstream file(json);
  const auto found = nlohmann::json::parse(file);
  EXPECT_EQ(found.at("good"), true);
  EXPECT_EQ(found.at("card"), "emulated GPU");
  EXPECT_EQ(found.at("golden").at("equal"), 10);
  EXPECT_GT(found.at("ceilings").at("copy_gb_s"), 0.0);
  EXPECT_EQ(found.at("products").size(), 12u);
  for (const auto& product : found.at("products")) EXPECT_GT(product.at("us"), 0.0);
  ASSERT_EQ(found.at("passes").size(), 4u);
  EXPECT_EQ(found.at("passes")[0].at("context"), 300);
  EXPECT_EQ(found.at("passes")[1].at("rows"), 3);
  for (const auto& pass : found.at("passes")) EXPECT_GT(pass.at("ms"), 0.0);
  EXPECT_EQ(found.at("prefill").size(), 2u);
  ASSERT_EQ(found.at("kernels").size(), 1u);
  // Of all kernels, all calls: 2 layers' attention, the head's product among others.
  std::size_t attentions = 0, heads = 0;
  for (const auto& kernel : found.at("kernels")[0].at("kernels")) {
    const std::string name = kernel.at("name");
    if (name.starts_with("attend")) attentions += kernel.at("calls").get<std::size_t>();
    if (name == "product Q6_K 256x320") heads += kernel.at("calls").get<std::size_t>();
  }
  EXPECT_EQ(attentions, 2u);
  EXPECT_EQ(heads, 1u);
  EXPECT_EQ(found.at("choices").at("compared"), 63);
  EXPECT_EQ(found.at("choices").at("equal"), 63);
  EXPECT_EQ(found.at("choices").at("scores_equal"), 7);
  ASSERT_EQ(found.at("choices").at("times").size(), 10u);
  for (const auto& one : found.at("choices").at("times")) EXPECT_GT(one.at("us"), 0.0);
  EXPECT_EQ(found.at("drafts").at("answers_compared"), 126);
  EXPECT_EQ(found.at("drafts").at("answers_equal"), 126);
  ASSERT_EQ(found.at("drafts").at("times").size(), 9u);
  ASSERT_EQ(found.at("drafts").at("chains").size(), 6u);
  for (const auto& chain : found.at("drafts").at("chains")) {
    EXPECT_TRUE(chain.at("equal"));
    EXPECT_GT(chain.at("us_per_token"), 0.0);
  }
  ASSERT_EQ(found.at("ahead").size(), 10u);
  for (const auto& way : found.at("ahead")) {
    EXPECT_TRUE(way.at("equal")) << way;
    EXPECT_GT(way.at("drafted"), 10) << way;
    // Where the target drafts for itself much is accepted; of tiny EAGLE layers little, and rows of chains lie right as they are.
    const bool accepts = !std::string(way.at("what")).ends_with("eagle-ar");
    EXPECT_TRUE(!accepts || way.at("moved") > 0) << way;
  }
  // Of two matrices, three kinds of caches and three rows: the large row where the cache holds halves.
  EXPECT_EQ(found.at("limits").at("rows"), 54);
  EXPECT_EQ(found.at("limits").at("equal"), 54);
  EXPECT_EQ(found.at("limits").at("refused"), 6);
  EXPECT_EQ(found.at("limits").at("bad_rows_refused"), 3);
  ASSERT_EQ(found.at("decoding").size(), 2u);
  for (const auto& text : found.at("decoding")) {
    EXPECT_EQ(text.at("tokens"), 3);
    EXPECT_GT(text.at("tokens_per_second"), 0.0);
    EXPECT_GT(text.at("choice_us"), 0.0);
  }
  ASSERT_EQ(found.at("traces").size(), 1u);
  EXPECT_EQ(found.at("traces")[0].at("tokens"), 12);
  EXPECT_EQ(found.at("traces")[0].at("equal"), 4);
  EXPECT_GT(found.at("traces")[0].at("tokens_per_second"), 0.0);
  for (const auto& model : found.at("certificate")) {
    EXPECT_GT(model.at("rows"), 0) << model;
    EXPECT_EQ(model.at("cases"), 1) << model;
  }
}

TEST(DeviceCheck, FailsWhereASectionIsSkipped) {
  const ProgramOutput said = run("--emulated --only sanitizers");
  EXPECT_EQ(said.status, 1);
  EXPECT_NE(said.text.find("sanitizers: skipped"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find("NOT all well"), std::string::npos) << said.text;
}

TEST(DeviceCheck, HasGoldenBitsOfOneRealModelOnly) {
  const test::TemporaryFolder folder;
  const std::string tiny = test::write_tiny_llama(folder.path(), "tiny.gguf", {.head_width = 32}, 1,
                                                  model::WeightType::kQ4_1);
  const ProgramOutput said = run("--emulated --only golden --runtime none --model " + quoted(tiny));
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_NE(said.text.find("golden bits: none are committed of " + tiny +
                           ", only of SmolLM2-135M-Instruct.Q4_1.gguf"),
            std::string::npos)
      << said.text;
  EXPECT_NE(said.text.find("golden bits: 10 of 10 equal"), std::string::npos) << said.text;
}

TEST(DeviceCheck, ComparesTextsWithTheProcessorsMethodByMethod) {
  const test::TemporaryFolder folder;
  // In place of the program `runtime`: one text, of which one method changes a token on the device.
  const std::string program = (folder.path() / "runtime").string();
  std::ofstream(program) << R"(#!/bin/sh
last=3
while [ $# -gt 0 ]; do
  case $1 in
    --json) json=$2 ;;
    --device) device=$2 ;;
    --method) method=$2 ;;
  esac
  shift
done
if [ "$device $method" = "cuda-emulated ssd" ]; then last=4; fi
if [ "$method" = pld-plus-h ]; then echo "no such layer" >&2; exit 2; fi
echo "{\"output_tokens\": [1, 2, $last], \"decode_seconds\": 0.5}" > "$json"
)";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const ProgramOutput said =
      run("--emulated --only texts --model m.gguf --runtime " + quoted(program));
  EXPECT_EQ(said.status, 1);
  const auto expect = [&](const std::string& line) {
    EXPECT_NE(said.text.find(line), std::string::npos) << said.text;
  };
  expect("texts, ar: 1 of 1 equal the processor's, 6 tokens/s");
  expect("FAILED: texts, ssd: 0 of 1 equal");
  expect("status 2\nno such layer");
  expect("texts, parallelspec-eagle: 1 of 1 equal");
}

TEST(DeviceCheck, JoinsFilesThatCameInParts) {
  const test::TemporaryFolder folder;
  const std::filesystem::path& at = folder.path();
  std::filesystem::create_directories(at / "bin");
  std::filesystem::create_directories(at / "artifacts");
  std::filesystem::create_symlink(OUTRIDER_DEVICE_CHECK, at / "bin/device_check");
  // In place of the program `runtime`: one text, if its files are whole.
  std::ofstream(at / "bin/runtime") << R"sh(#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -m) model=$2 ;;
    --json) json=$2 ;;
    --artifacts) artifacts=$2 ;;
  esac
  shift
done
if [ "$(cat "$model")" != "a model" ]; then echo "no model" >&2; exit 2; fi
if [ -n "$artifacts" ] && [ "$(cat "$artifacts"/*)" != "onetwothree" ]; then echo "no artifacts" >&2; exit 2; fi
echo '{"output_tokens": [1], "decode_seconds": 0.5}' > "$json"
)sh";
  std::filesystem::permissions(at / "bin/runtime", std::filesystem::perms::owner_all);
  const auto write = [&](const char* name, const char* text) { std::ofstream(at / name) << text; };
  write("model-1", "a mo");
  write("model-2", "del");
  write("artifacts/a.h5.part-aa", "one");
  write("artifacts/a.h5.part-ab", "two");
  write("artifacts/b.h5", "three");
  write("artifacts/a.h5", "one");  // as split leaves it; of an earlier time
  const ProgramOutput said = output_of(
      "cd " + quoted(at.string()) + " && OUTRIDER_BIN=bin " +
      quoted(test::source_path("scripts/device_check")) +
      " --emulated --only texts --model model-1 model-2 --artifacts artifacts --json found.json");
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_NE(said.text.find("texts, ssd: 1 of 1 equal"), std::string::npos) << said.text;
  EXPECT_EQ(std::filesystem::file_size(at / "artifacts/a.h5"), 3u);
}

TEST(DeviceCheck, SaysWhatIsWrongWithAnArgument) {
  const auto expect = [](const std::string& arguments, const std::string& message) {
    const ProgramOutput said = run(arguments);
    EXPECT_EQ(said.status, 2) << arguments;
    EXPECT_NE(said.text.find(message), std::string::npos) << said.text;
  };
  expect("--emulated --only passes speed",
         "--only: expected sections that --help lists, found 'speed'");
  expect("--fast", "expected the options that --help lists, found '--fast'");
  expect("--minutes long", "--minutes: expected a number, found 'long'");
  expect("--json", "--json: expected a value");
  expect("--emulated --only texts", "texts: expected --model and --runtime");
}

TEST(RandomModel, HasFiniteWeightsAndLlamaCppsMixOfTypes) {
  const model::Model tiny = random_model(tiny_shape(), 1);
  model::check_finite(tiny);
  ModelShape shape = tiny_shape();
  shape.layers = 32;
  const model::Model model = random_model(shape, 1);
  int better = 0;
  for (const model::LayerWeights& layer : model.layers) {
    better += layer.down.type == model::WeightType::kQ6_K ? 1 : 0;
    EXPECT_EQ(layer.v.type, layer.down.type);
    EXPECT_EQ(layer.up.type, model::WeightType::kQ4_K);
  }
  EXPECT_EQ(better, 16);
  // Alike layers are one in memory.
  EXPECT_EQ(model.layers[0].q.bytes.data(), model.layers[1].q.bytes.data());
  EXPECT_NE(model.layers[0].q.bytes.data(), model.layers[4].q.bytes.data());
}

TEST(DeviceCheck, RunsWhereItWasCarried) {
  const test::TemporaryFolder folder;
  const std::string pack = quoted((folder.path() / "pack").string());
  const std::string programs =
      quoted(std::filesystem::path(OUTRIDER_DEVICE_CHECK).parent_path().string());
  const ProgramOutput packed =
      output_of("OUTRIDER_BIN=" + programs + " " +
                quoted(test::source_path("scripts/device_check")) + " --pack " + pack);
  ASSERT_EQ(packed.status, 0) << packed.text;
  EXPECT_GT(std::filesystem::file_size(folder.path() / "pack/prompts.jsonl"), 0u);
  // Nothing of where it was made is needed.
  const ProgramOutput said = output_of("cd / && env -i PATH=/usr/bin:/bin " + pack +
                                       "/device_check --emulated --only golden");
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_NE(said.text.find("golden bits: 10 of 10 equal"), std::string::npos) << said.text;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "pack/device_check.json"));
}

}  // namespace
}  // namespace outrider::device_check
