// Tensors and safetensors files of a Hugging Face folder; damaged ones are refused by name.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/model/model.h"
#include "tests/model/damaged_folder.h"
#include "tests/support/source_path.h"

namespace outrider::model {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST_F(DamagedFolder, UsesAHeadThatDiffersFromTheEmbedding) {
  copy("mistral");
  ASSERT_FALSE(load_model(path_).tied);
  change("config.json", [](json& config) { config["tie_word_embeddings"] = true; });
  const Model model = load_model(path_);
  EXPECT_FALSE(model.tied);
  EXPECT_NE(model.head.bytes.data(), model.embedding.bytes.data());
}

TEST_F(DamagedFolder, MayNameTensorsWithoutThePrefix) {
  copy("bloom");
  change_header([](json& header) {
    json renamed = json::object();
    for (const auto& [name, value] : header.items())
      renamed[name.starts_with("transformer.") ? name.substr(12) : name] = value;
    header = renamed;
  });
  EXPECT_EQ(load_model(path_).layers.at(1).k_bias.rows, 64);
}

TEST_F(DamagedFolder, NamesTheTensorThatDoesNotFit) {
  constexpr const char* kName = "model.layers.1.mlp.up_proj.weight";
  header_refused([&](json& h) { h[kName]["dtype"] = "F8_E4M3"; }, "'F8_E4M3'");
  header_refused([&](json& h) { h[kName]["shape"] = {96, 63}; }, "do not differ by");
  header_refused([&](json& h) { h[kName]["data_offsets"][1] = 1 << 30; }, "'data_offsets'");
  header_refused([&](json& h) { h[kName]["shape"] = {64, 96}; }, "has shape [64, 96]");
  header_refused(
      [&](json& h) {
        h["model.layers.1.mlp.other.weight"] = h[kName];
        h.erase(kName);
      },
      "is missing");
  header_refused([&](json& h) { h["extra"] = h[kName]; }, "end of the previous tensor");
  header_refused([&](json& h) { h.erase("model.norm.weight"); },
                 "bytes of data, but its tensors take");
}

TEST_F(DamagedFolder, NamesWhatIsWrongInTheIndex) {
  const auto refuse = [&](const std::function<void(json&)>& edit, const char* part) {
    refused("llama_sharded", "model.safetensors.index.json", edit, part);
  };
  constexpr const char* kName = "model.norm.weight";
  refuse([&](json& i) { i["weight_map"][kName] = "../model.safetensors"; },
         "the name of a file in the same folder");
  refuse([&](json& i) { i["weight_map"][kName] = "/etc/passwd"; }, "the name of a file");
  refuse([&](json& i) { i["weight_map"][kName] = 3; }, "a string");
  copy("llama_sharded");
  change("model.safetensors.index.json", [&](json& i) { i["weight_map"].erase(kName); });
  test::expect_input_error([&] { load_model(path_); }, kName, "does not list for it");
  copy("llama_sharded");
  change("model.safetensors.index.json",
         [&](json& i) { i["weight_map"]["new"] = i["weight_map"][kName]; });
  test::expect_input_error([&] { load_model(path_); }, "'new' is missing");
  copy("llama_sharded");
  fs::remove(path_ / "model-00002-of-00005.safetensors");
  test::expect_input_error([&] { load_model(path_); }, "model-00002-of-00005.safetensors",
                           "no such file");
}

TEST_F(DamagedFolder, RefusesADuplicateKey) {
  copy("llama_tied");
  std::string config = content_of(path_ / "config.json");
  config.replace(config.find('{'), 1, "{\"vocab_size\": 384,");
  write_file(path_ / "config.json", config);
  test::expect_input_error([&] { load_model(path_); }, "'vocab_size' is duplicated");
}

TEST_F(DamagedFolder, IsRefusedWhereverASafetensorsFileIsCutOff) {
  copy("mistral");
  const std::string bytes = content_of(safetensors());
  for (std::size_t size = 0; size < bytes.size(); size += size < 3000 ? 61 : 9973) {
    write_file(safetensors(), bytes.substr(0, size));
    EXPECT_THROW(load_model(path_), InputError) << size << " bytes";
  }
}

TEST_F(DamagedFolder, SurvivesEveryFlippedByteOfASafetensorsHeader) {
  copy("mistral");
  std::string bytes = content_of(safetensors());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  int refused = 0;
  for (std::size_t i = 0; i < 8 + length; i += 7) {
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
    write_file(safetensors(), bytes);
    try {
      const Model model = load_model(path_);
      std::vector<float> row(static_cast<std::size_t>(model.config.width));
      model.embedding.read_row(model.config.vocab - 1, row.data());
    } catch (const InputError&) {
      ++refused;
    }
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
  }
  EXPECT_GT(refused, 100);
}

// Whole experts would be most of the model, a second time beside the engine's own copy.
TEST(ExpertsOfAFolder, AreMadeRowByRow) {
  for (const char* name : {"gpt_oss", "gpt_oss_mxfp4"}) {
    const Model model = load_model(test::source_path(std::string("tests/golden/hf/") + name));
    const ModelConfig& config = model.config;
    const std::int64_t biases = std::int64_t{config.layers} * config.experts *
                                (2 * config.ffn_width + config.width) * 2;  // of two bytes
    EXPECT_EQ(model.kept_bytes(), static_cast<std::size_t>(biases)) << name;
    const ExpertWeights& expert = model.layers[0].experts[1];
    std::vector<std::byte> made;
    const std::byte* const row = expert.up.row(0, made);
    EXPECT_EQ(row, made.data()) << name;
    EXPECT_EQ(std::ssize(made), expert.up.row_bytes()) << name;
    EXPECT_THROW((void)expert.up.row(0), std::logic_error) << name;
  }
}

TEST_F(DamagedFolder, RefusesAnExpertsMatrixBesideWhatItIsMadeOf) {
  copy("gpt_oss_mxfp4");
  change_header([](json& header) {
    header["model.layers.0.mlp.experts.up_proj"] = header["model.layers.0.self_attn.q_proj.weight"];
    header.erase("model.layers.0.self_attn.q_proj.weight");
  });
  test::expect_input_error(
      [&] { load_model(path_); },
      "has tensor 'model.layers.0.mlp.experts.up_proj' beside those that it is made of");
}

}  // namespace
}  // namespace outrider::model
