// What the configuration of a Hugging Face folder says, and what of it is refused by name.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/model/model.h"
#include "tests/model/damaged_folder.h"

namespace outrider::model {
namespace {

using nlohmann::json;

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

}  // namespace
}  // namespace outrider::model
