// Errors in a Hugging Face folder are refused by name; engine/hf_folder_test.cc computes with valid ones.

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/opened_files.h"
#include "runtime/model/identity.h"
#include "runtime/model/model.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_folder.h"

namespace outrider::model {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kGolden = test::source_path("tests/golden/hf");

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// A copy of a golden folder, to be damaged.
class DamagedFolder : public testing::Test {
 protected:
  void copy(const std::string& name) {
    fs::remove_all(path_);
    fs::copy(kGolden / name, path_);
  }
  void change(const std::string& file, const std::function<void(json&)>& edit) {
    json content = json::parse(content_of(path_ / file));
    edit(content);
    write(path_ / file, content.dump());
  }
  /// Damages one file of a fresh copy and expects a refusal.
  void refused(const std::string& name, const std::string& file,
               const std::function<void(json&)>& edit, const std::string& part) {
    copy(name);
    change(file, edit);
    test::expect_input_error([&] { load_model(path_); }, path_.string(), part);
  }
  void change_header(const std::function<void(json&)>& edit) {
    const std::string bytes = content_of(safetensors());
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    json header = json::parse(bytes.substr(8, length));
    edit(header);
    const std::string text = header.dump();
    length = text.size();
    std::string damaged(8, '\0');
    std::memcpy(damaged.data(), &length, 8);
    std::uint64_t old = 0;
    std::memcpy(&old, bytes.data(), 8);
    write(safetensors(), damaged + text + bytes.substr(8 + old));
  }
  /// The same as `refused` for the header of a safetensors file.
  void header_refused(const std::function<void(json&)>& edit, const std::string& part) {
    copy("llama_tied");
    change_header(edit);
    test::expect_input_error([&] { load_model(path_); }, path_.string(), part);
  }
  fs::path safetensors() const { return path_ / "model.safetensors"; }

  test::TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "model";
};

TEST_F(DamagedFolder, NamesWhatIsUnsupportedInTheConfiguration) {
  const auto refuse = [&](const char* key, const json& value, const char* part) {
    refused(
        "llama_tied", "config.json", [&](json& config) { config[key] = value; }, part);
  };
  refuse("model_type", "mamba", "'model_type' is 'mamba'");
  refuse("attention_bias", true, "'attention_bias' is true");
  refuse("hidden_act", "gelu", "'hidden_act' is 'gelu'");
  refuse("rope_parameters", {{"rope_type", "dynamic"}, {"factor", 8}}, "'rope_type' is 'dynamic'");
  refuse("rope_parameters", {{"rope_type", "yarn"}}, "'factor' is missing");
  refuse("rope_parameters", {{"rope_type", "llama3"}, {"factor", 8}},
         "'low_freq_factor' is missing");
  refuse("rope_parameters", {{"rope_type", "linear"}}, "'factor' is missing");
  refuse("quantization_config", {{"bits", 4}}, "'quantization_config' is given");
  refuse("num_key_value_heads", 3, "a divisor of the 2 query heads");
  refuse("hidden_size", 1e30, "'hidden_size'");
  refuse("num_experts", 8, "'num_experts' is 8: a mixture of experts");
  refuse("use_mrope", true, "'use_mrope' is true: positions of images and videos");
  refuse("model_type", "deepseek_v3", "'model_type' is 'deepseek_v3', a mixture of experts");
  for (const char* hybrid : {"granitemoehybrid", "qwen3_next", "lfm2_moe", "rwkv", "falcon_h1"})
    refuse("model_type", hybrid, "', layers with a recurrent state, out of which");
  refuse("model_type", "gemma3", "'gemma3', a model of images and text");
  refuse("warp_factor", 8, "'warp_factor' is unknown");
  refuse("num_hidden_layers", 3, "'model.layers.2.input_layernorm.weight' is missing");
  refused(
      "llama_tied", "config.json", [](json& config) { config.erase("rms_norm_eps"); },
      "'rms_norm_eps' is missing");
}

TEST_F(DamagedFolder, AcceptsKeysWithoutEffect) {
  copy("llama_tied");
  change("config.json", [](json& config) {
    config["use_mrope"] = false;
    config["num_experts"] = 0;
    config["unsloth_fixed"] = true;
    config["_flash_attn_2_enabled"] = true;
    config["torchscript"] = false;
    config["model_max_length"] = 512;
    config["temperature"] = 0.6;
    config["tokenizer_class"] = "LlamaTokenizer";
  });
  EXPECT_NO_THROW(load_model(path_));
}

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
    write(path_ / "tokenizer_config.json", settings.dump());
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
  write(path_ / "special_tokens_map.json", json{{"eos_token", "<|map|>"}}.dump());
  write(path_ / "added_tokens.json", json{{"<|old|>", id}}.dump());
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
  write(path_ / "tokenizer.model", "x");
  test::expect_input_error([&] { load_model(path_); }, "has tokenizer.model", "save_pretrained");
}

TEST_F(DamagedFolder, SaysWhatItIsInsteadOfAModel) {
  copy("llama_tied");
  fs::rename(safetensors(), path_ / "pytorch_model.bin");
  test::expect_input_error([&] { load_model(path_); }, "pytorch_model.bin", "save_pretrained");
  fs::remove(path_ / "config.json");
  test::expect_input_error([&] { load_model(path_); }, "without config.json");
  write(path_ / "adapter_config.json", "{}");
  test::expect_input_error([&] { load_model(path_); }, "an adapter", "merge");
}

TEST_F(DamagedFolder, EndsAtWhatOnlyItsGenerationConfigNames) {
  copy("llama_tied");
  change("config.json", [](json& config) { config.erase("eos_token_id"); });
  write(path_ / "generation_config.json", json{{"eos_token_id", {7, 9}}}.dump());
  const auto spec = load_model(path_).tokenizer;
  EXPECT_EQ(spec.end_tokens, (std::vector<Token>{7, 9}));
  EXPECT_EQ(spec.eos, 7);
}

TEST_F(DamagedFolder, UsesAHeadThatDiffersFromTheEmbedding) {
  copy("mistral");
  ASSERT_FALSE(load_model(path_).tied);
  change("config.json", [](json& config) { config["tie_word_embeddings"] = true; });
  const Model model = load_model(path_);
  EXPECT_FALSE(model.tied);
  EXPECT_NE(model.head.bytes.data(), model.embedding.bytes.data());
}

TEST_F(DamagedFolder, NamesWhatIsUnsupportedInWindowsAndPartialRotation) {
  const auto refuse = [&](const char* name, const char* key, const json& value, const char* part) {
    refused(
        name, "config.json", [&](json& config) { config[key] = value; }, part);
  };
  refuse("llama_tied", "sliding_window", 64, "null: the type llama has no windows");
  refuse("llama_tied", "partial_rotary_factor", 0.5, "'partial_rotary_factor' is 0.5");
  refuse("mistral_window", "sliding_window", 0, "'sliding_window' is 0");
  refuse("mistral_window", "layer_types", {"full_attention", "sliding_attention"},
         "'layer_types' is 'full_attention' in layer 0 (expected 'sliding_attention'");
  refuse("qwen2_window", "layer_types", {"full_attention"}, "a list of 3 strings");
  refuse("qwen2_window", "layer_types", {"full_attention", "chunked_attention", "full_attention"},
         "an unknown value");
  refuse("qwen2_window", "use_sliding_window", false, "as it has no window");
  const auto refuse_rope = [&](const char* name, const char* key, const json& value,
                               const char* part) {
    refused(
        name, "config.json", [&](json& config) { config["rope_parameters"][key] = value; }, part);
  };
  refuse_rope("phi3_partial", "partial_rotary_factor", 0.33, "rotates 21 numbers of a head");
  refuse_rope("phi3_longrope", "short_factor", {1, 2, 3}, "a list of 3 (expected 16 numbers)");
  refuse_rope("phi3_longrope", "short_factor", {1, "2"}, "a list of numbers from");
  refuse_rope("phi3_longrope", "short_factor", nullptr, "'short_factor' is missing");
  refuse_rope("phi3_longrope", "long_factor", {1, 2}, "a list of 2 (expected 16 numbers)");
  refuse_rope("phi3_longrope", "rope_type", "dynamic", "'rope_type' is 'dynamic'");
}

TEST_F(DamagedFolder, NamesWhatIsWrongWithAFamilysOwnKeys) {
  const auto refuse = [&](const char* name, const char* key, const json& value, const char* part) {
    refused(
        name, "config.json", [&](json& config) { config[key] = value; }, part);
  };
  refuse("gemma3", "hidden_activation", "silu",
         "'hidden_activation' is 'silu' (expected 'gelu_pytorch_tanh')");
  refuse("gemma3", "attn_logit_softcapping", -1, "'attn_logit_softcapping' is -1");
  refuse("gemma3", "use_bidirectional_attention", true, "attention to later tokens");
  refuse("gemma3", "rope_parameters",
         {{"full_attention", {{"rope_type", "default"}}},
          {"sliding_attention", {{"rope_type", "linear"}}}},
         "sliding_attention: 'rope_type' is 'linear' (expected 'default')");
  refuse("llama_tied", "query_pre_attn_scalar", 64, "another scale of attention scores");
  refuse("qwen3_moe", "num_experts_per_tok", 7, "'num_experts_per_tok' is 7");
  refuse("qwen3_moe", "mlp_only_layers", {0}, "experts in every layer");
  refuse("mixtral", "num_local_experts", 5,
         "'model.layers.0.block_sparse_moe.gate.weight' has shape [4, 64] (expected [5, 64])");
  refuse("granite", "residual_multiplier", 0, "'residual_multiplier' is 0");
  refuse("smollm3", "no_rope_layers", {1, 0},
         "a list of 2 (expected one of 4, the number of layers)");
}

TEST_F(DamagedFolder, NamesWhatIsWrongInGptOss) {
  const auto refuse = [&](const char* key, const json& value, const char* part) {
    refused(
        "gpt_oss_mxfp4", "config.json", [&](json& config) { config[key] = value; }, part);
  };
  refuse("attention_bias", false, "'attention_bias' is false (expected true");
  refuse("rope_parameters", nullptr, "'rope_parameters' is absent");
  refuse("experts_per_token", 3, "'experts_per_token' is 3");
  refuse("swiglu_limit", 0, "'swiglu_limit' is 0");
  refuse("quantization_config", {{"quant_method", "gptq"}}, "'quantization_config' is given");
  refuse("num_local_experts", 2,
         "'model.layers.0.mlp.experts.gate_up_proj_blocks' has shape [3, 64, 2, 16] (expected [2, "
         "64, 2, 16])");
  const auto header = [&](const char* name, const std::function<void(json&)>& edit,
                          const char* part) {
    copy(name);
    change_header(edit);
    test::expect_input_error([&] { load_model(path_); }, path_.string(), part);
  };
  const std::string experts = "model.layers.0.mlp.experts.";
  const auto renamed = [&](const std::string& from) {
    return [from = experts + from](json& h) {
      h["other"] = h[from];
      h.erase(from);
    };
  };
  header("gpt_oss_mxfp4", renamed("down_proj_scales"), "down_proj_scales' is missing");
  header("gpt_oss_mxfp4", renamed("gate_up_proj_bias"), "gate_up_proj_bias' is missing");
  header("gpt_oss", renamed("gate_up_proj"), "gate_up_proj' is missing");
  copy("llama_tied");  // a matrix as bytes
  change_header([](json& h) {
    json& tensor = h["model.layers.1.mlp.up_proj.weight"];
    tensor["dtype"] = "U8";
    tensor["shape"] = {96, 256};
  });
  test::expect_input_error([&] { load_model(path_); }, "up_proj.weight' holds bytes");
}

TEST_F(DamagedFolder, ReadsGemmasOlderKeys) {
  copy("gemma3");
  change("config.json", [](json& config) {
    config["rope_parameters"] = nullptr;
    config["rope_theta"] = 5000.0;
    config["rope_scaling"] = {{"rope_type", "linear"}, {"factor", 4.0}};
    config["rope_local_base_freq"] = 100.0;
    config["layer_types"] = nullptr;
    config["cache_implementation"] = "hybrid";
  });
  const ModelConfig older = load_model(path_).config;
  const ModelConfig newer = load_model(test::source_path("tests/golden/hf/gemma3")).config;
  EXPECT_EQ(older.rope_base, newer.rope_base);
  EXPECT_EQ(older.rope_divisors, newer.rope_divisors);
  EXPECT_EQ(older.window_rope_base, newer.window_rope_base);
  EXPECT_EQ(older.windows, newer.windows);
  EXPECT_EQ(newer.windows, (std::vector<int>{6, 6, 0}));
}

TEST_F(DamagedFolder, HasTheWindowsOfTransformers) {
  const auto windows = [&](const char* name, const std::function<void(json&)>& edit) {
    copy(name);
    change("config.json", edit);
    return load_model(path_).config.windows;
  };
  const std::vector<int> none;
  EXPECT_EQ(windows("mistral_window", [](json&) {}), (std::vector<int>{5, 5}));
  EXPECT_EQ(windows("mistral_window", [](json& c) { c["sliding_window"] = nullptr; }), none);
  EXPECT_EQ(windows("mistral_window", [](json& c) { c.erase("sliding_window"); }),
            (std::vector<int>{4096, 4096}));
  EXPECT_EQ(windows("phi3", [](json& c) { c.erase("sliding_window"); }), none);
  EXPECT_EQ(windows("qwen2_window", [](json&) {}), (std::vector<int>{0, 8, 8}));
  EXPECT_EQ(windows("qwen2_window", [](json& c) { c.erase("layer_types"); }),
            (std::vector<int>{0, 8, 8}));
  EXPECT_EQ(windows("qwen2_window",
                    [](json& c) {
                      c.erase("layer_types");
                      c.erase("max_window_layers");
                    }),
            none);
  EXPECT_EQ(windows("qwen2_window",
                    [](json& c) {
                      c.erase("layer_types");
                      c["use_sliding_window"] = false;
                    }),
            none);
}

TEST_F(DamagedFolder, NamesWhatIsUnsupportedInAnOlderConfiguration) {
  const auto refuse = [&](const char* name, const char* key, const json& value, const char* part) {
    refused(
        name, "config.json", [&](json& config) { config[key] = value; }, part);
  };
  refuse("opt", "do_layer_norm_before", false, "'do_layer_norm_before' is false");
  refuse("opt", "_remove_final_layer_norm", true, "'_remove_final_layer_norm' is true");
  refuse("opt", "enable_bias", false, "'enable_bias' is false");
  refuse("opt", "layer_norm_elementwise_affine", false, "'layer_norm_elementwise_affine' is false");
  refuse("opt", "word_embed_proj_dim", 32, "'word_embed_proj_dim' is 32");
  refuse("opt", "activation_function", "swish", "'activation_function' is 'swish'");
  refuse("opt", "num_attention_heads", 3, "a divisor of the width 64");
  refuse("opt", "max_position_embeddings", 161, "has shape [162, 64] (expected [163, 64])");
  refuse("opt", "rope_theta", 10000, "'rope_theta' is unknown");
  refuse("bloom", "apply_residual_connection_post_layernorm", true,
         "'apply_residual_connection_post_layernorm' is true");
  refuse("bloom", "n_inner", 100, "'n_inner' is 100");
  refuse("bloom", "num_attention_heads", 4, "'n_head' is 2");
  refuse("bloom", "layer_norm_epsilon", nullptr, "'layer_norm_epsilon' is missing");
  refuse("bloom", "quantization_config", {{"bits", 4}}, "'quantization_config' is given");
  refuse("gpt_bigcode", "multi_query", false, "'multi_query' is false");
  refuse("gpt_bigcode", "scale_attn_weights", false, "'scale_attn_weights' is false");
  refuse("gpt_bigcode", "add_cross_attention", true, "'add_cross_attention' is true");
  refuse("gpt_bigcode", "n_embd", 128, "has shape [384, 64] (expected [384, 128])");
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

TEST_F(DamagedFolder, UsesTheDefaultOfSeveralChatTemplates) {
  copy("llama_tied");
  const auto template_of = [&](const json& chat) {
    write(path_ / "tokenizer_config.json", json{{"chat_template", chat}}.dump());
    return load_model(path_).tokenizer.chat_template;
  };
  EXPECT_EQ(template_of("one"), "one");
  EXPECT_EQ(template_of({{{"name", "tools"}, {"template", "two"}},
                         {{"name", "default"}, {"template", "three"}}}),
            "three");
  EXPECT_EQ(template_of(nullptr), "");
  test::expect_input_error([&] { template_of(7); }, "'chat_template' is 7");
  write(path_ / "chat_template.jinja", "four");
  EXPECT_EQ(template_of("one"), "four");
}

TEST_F(DamagedFolder, IsAnInputWithEveryFileThatWouldBeOneOfIt) {
  copy("llama_sharded");
  for (const bool only_tokenizer : {false, true}) {
    forget_opened_files();
    claim_output("--json", path_ / "config.json");
    only_tokenizer ? (void)load_tokenizer(path_) : (void)load_model(path_);
    for (const char* name : {"config.json", "model-00002-of-00005.safetensors", "tokenizer.json"})
      test::expect_input_error([&] { claim_output("--json", path_ / name); }, "would replace ",
                               name);
    test::expect_input_error([&] { claim_output("--json", path_ / "chat_template.jinja"); },
                             "would become a file of ");
    claim_output("--json", path_ / "records.jsonl");
  }
  forget_opened_files();
}

TEST_F(DamagedFolder, RefusesADuplicateKey) {
  copy("llama_tied");
  std::string config = content_of(path_ / "config.json");
  config.replace(config.find('{'), 1, "{\"vocab_size\": 384,");
  write(path_ / "config.json", config);
  test::expect_input_error([&] { load_model(path_); }, "'vocab_size' is duplicated");
}

TEST_F(DamagedFolder, IsRefusedWhereverASafetensorsFileIsCutOff) {
  copy("mistral");
  const std::string bytes = content_of(safetensors());
  for (std::size_t size = 0; size < bytes.size(); size += size < 3000 ? 61 : 9973) {
    write(safetensors(), bytes.substr(0, size));
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
    write(safetensors(), bytes);
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

TEST_F(DamagedFolder, UsesTheTokensAndTheTemplateOfItsSettings) {
  copy("llama_tied");
  const json settings = {{"eos_token", "<tag>"},
                         {"bos_token", {{"content", "<|start|>"}}},
                         {"chat_template",
                          {{{"name", "tool_use"}, {"template", "of tools"}},
                           {{"name", "default"}, {"template", "of turns"}}}}};
  write(path_ / "tokenizer_config.json", settings.dump());
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
  write(path / "config.json", content_of(path / "config.json") + "\n");
  EXPECT_NE(before, model_hash(load_model(path)));
}

}  // namespace
}  // namespace outrider::model
