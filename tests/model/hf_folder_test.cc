// Tokens, templates and files of a Hugging Face folder; engine/hf_folder_test.cc computes with valid ones.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/model/identity.h"
#include "runtime/model/model.h"
#include "tests/model/damaged_folder.h"

namespace outrider::model {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST_F(DamagedFolder, KnowsTokensThatOnlyItsSettingsName) {
  copy("llama_tied");
  const auto before = load_model(path_).tokenizer;
  const auto first = static_cast<std::int64_t>(before.tokens.size());
  change("config.json", [&](json& config) { config["vocab_size"] = first; });
  // The id of a token that the vocabulary does not have yet.
  const auto unused = std::find(before.kinds.begin(), before.kinds.end(), text::TokenKind::kUnused);
  ASSERT_NE(unused, before.kinds.end());
  const auto id = static_cast<std::size_t>(unused - before.kinds.begin());
  const auto spec_with = [&](const json& settings) {
    write_file(path_ / "tokenizer_config.json", settings.dump());
    return load_model(path_).tokenizer;
  };
  const json rules = {{"content", "<|turn|>"}, {"special", true}, {"rstrip", true}};
  auto spec = spec_with({{"added_tokens_decoder", {{std::to_string(id), rules}}}});
  EXPECT_EQ(spec.tokens[id], "<|turn|>");
  EXPECT_EQ(spec.kinds[id], text::TokenKind::kControl);
  EXPECT_TRUE(spec.added_rules.at(static_cast<Token>(id)).rstrip);
  spec = spec_with({{"eos_token", "<|stop|>"}});
  EXPECT_EQ(spec.tokens[id], "<|stop|>");
  EXPECT_EQ(spec.eos, static_cast<Token>(id));
  spec = spec_with({{"additional_special_tokens", {"<|one|>", "<|two|>"}}});
  EXPECT_EQ(spec.tokens[id + 1], "<|two|>");
  EXPECT_EQ(spec.kinds[id + 1], text::TokenKind::kControl);
  fs::remove(path_ / "tokenizer_config.json");
  write_file(path_ / "special_tokens_map.json", json{{"eos_token", "<|map|>"}}.dump());
  write_file(path_ / "added_tokens.json", json{{"<|old|>", id}}.dump());
  spec = load_model(path_).tokenizer;
  EXPECT_EQ(spec.tokens[id], "<|old|>");
  EXPECT_EQ(spec.kinds[id], text::TokenKind::kUserDefined);
  EXPECT_EQ(spec.tokens[id + 1], "<|map|>");
  test::expect_input_error(
      [&] {
        spec_with({{"added_tokens_decoder", {{"5", rules}}}});
      },
      "added_tokens_decoder: 5", "has the id 5 of");
}

TEST_F(DamagedFolder, HasAsManyTokensAsItsModelWhenOnlyTheyAreRead) {
  copy("llama_tied");
  EXPECT_EQ(load_tokenizer(path_).tokens.size(), load_model(path_).tokenizer.tokens.size());
}

TEST_F(DamagedFolder, SaysHowToMakeAMissingTokenizer) {
  copy("llama_tied");
  fs::remove(path_ / "tokenizer.json");
  test::expect_input_error([&] { load_model(path_); }, path_.string(), "without tokenizer.json");
  write_file(path_ / "tokenizer.model", "x");
  test::expect_input_error([&] { load_model(path_); }, "has tokenizer.model", "save_pretrained");
}

TEST_F(DamagedFolder, SaysWhatItIsInsteadOfAModel) {
  copy("llama_tied");
  fs::rename(safetensors(), path_ / "pytorch_model.bin");
  test::expect_input_error([&] { load_model(path_); }, "pytorch_model.bin", "save_pretrained");
  fs::remove(path_ / "config.json");
  test::expect_input_error([&] { load_model(path_); }, "without config.json");
  write_file(path_ / "adapter_config.json", "{}");
  test::expect_input_error([&] { load_model(path_); }, "an adapter", "merge");
}

TEST_F(DamagedFolder, EndsAtWhatOnlyItsGenerationConfigNames) {
  copy("llama_tied");
  change("config.json", [](json& config) { config.erase("eos_token_id"); });
  write_file(path_ / "generation_config.json", json{{"eos_token_id", {7, 9}}}.dump());
  const auto spec = load_model(path_).tokenizer;
  EXPECT_EQ(spec.end_tokens, (std::vector<Token>{7, 9}));
  EXPECT_EQ(spec.eos, 7);
}

TEST_F(DamagedFolder, NamesWhatIsUnsupportedInTheTokenizer) {
  const auto refuse = [&](const std::function<void(json&)>& edit, const char* part) {
    refused("llama_tied", "tokenizer.json", edit, part);
  };
  refuse([](json& t) { t["normalizer"] = {{"type", "NFKC"}}; }, "'type' is 'NFKC'");
  refuse([](json& t) { t["model"]["type"] = "Unigram"; }, "'type' is 'Unigram'");
  refuse([](json& t) { t["pre_tokenizer"] = {{"type", "Whitespace"}}; }, "'pre_tokenizer'");
  refuse([](json& t) { t["model"]["vocab"]["!"] = 100000; }, "'!' is 100000");
  refuse([](json& t) { t["model"]["vocab"]["!!new"] = 5; }, "has the id 5 of");
  refuse([](json& t) { t["model"]["merges"][3] = "ab"; }, "not a pair of strings at index 3");
  refuse([](json& t) { t["added_tokens"][0]["lstrip"] = 1; }, "'lstrip' is 1");
  refuse([](json& t) { t["model"]["merges"] = json::array(); }, "'merges' is empty");
  refuse([](json& t) { t["decoder"] = nullptr; }, "'decoder' is absent");
  refuse([](json& t) { t.erase("model"); }, "'model' is missing");
}

TEST_F(DamagedFolder, UsesTheDefaultOfSeveralChatTemplates) {
  copy("llama_tied");
  const auto template_of = [&](const json& chat) {
    write_file(path_ / "tokenizer_config.json", json{{"chat_template", chat}}.dump());
    return load_model(path_).tokenizer.chat_template;
  };
  EXPECT_EQ(template_of("one"), "one");
  EXPECT_EQ(template_of({{{"name", "tools"}, {"template", "two"}},
                         {{"name", "default"}, {"template", "three"}}}),
            "three");
  EXPECT_EQ(template_of(nullptr), "");
  test::expect_input_error([&] { template_of(7); }, "'chat_template' is 7");
  write_file(path_ / "chat_template.jinja", "four");
  EXPECT_EQ(template_of("one"), "four");
}

TEST_F(DamagedFolder, UsesTheTokensAndTheTemplateOfItsSettings) {
  copy("llama_tied");
  const json settings = {{"eos_token", "<tag>"},
                         {"bos_token", {{"content", "<|start|>"}}},
                         {"chat_template",
                          {{{"name", "tool_use"}, {"template", "of tools"}},
                           {{"name", "default"}, {"template", "of turns"}}}}};
  write_file(path_ / "tokenizer_config.json", settings.dump());
  const text::TokenizerSpec spec = load_model(path_).tokenizer;
  EXPECT_EQ(spec.chat_template, "of turns");
  EXPECT_EQ(spec.tokens.at(static_cast<std::size_t>(spec.eos)), "<tag>");
  EXPECT_EQ(spec.tokens.at(static_cast<std::size_t>(spec.bos)), "<|start|>");
}

TEST(HfFolder, HasAnIdentityOfAllItsFiles) {
  test::TemporaryFolder folder;
  const fs::path path = folder.path() / "model";
  fs::copy(kGolden / "llama_sharded", path);
  const std::string before = model_hash(load_model(path));
  EXPECT_EQ(before, model_hash(load_model(kGolden / "llama_sharded")));
  EXPECT_EQ(load_model(path / "").path.filename(), "model");
  write_file(path / "config.json", content_of(path / "config.json") + "\n");
  EXPECT_NE(before, model_hash(load_model(path)));
}

}  // namespace
}  // namespace outrider::model
