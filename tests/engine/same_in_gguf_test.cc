// The weights of the Hugging Face folders in golden/hf, written as llama.cpp's converter lays them out
// in GGUF: the model is the same to the bit. See hf_folder_test.cc for what it computes.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/engine/engine.h"
#include "runtime/model/gguf/gguf_tensor.h"
#include "runtime/tokenizer/tokenizer.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/source_path.h"
#include "tests/support/tiny_llama.h"

namespace outrider::engine {
namespace {

using model::Model;
using model::Weight;
using test::GgufWriter;

const std::filesystem::path kFolders = test::source_path("tests/golden/hf");

/// A vector, be it a row or a column here, has one dimension.
std::vector<std::uint64_t> shape_of(std::int64_t rows, std::int64_t columns) {
  if (rows == 1 || columns == 1) return {static_cast<std::uint64_t>(rows * columns)};
  return {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)};
}

void add_row(GgufWriter::Tensor& tensor, const Weight& weight, std::int64_t r) {
  std::vector<std::byte> made;
  const std::byte* row = weight.row(r, made);
  tensor.data.insert(tensor.data.end(), row, row + weight.row_bytes());
}

/// One tensor of the rows of several weights.
void add_fused(GgufWriter& file, const std::string& name,
               std::initializer_list<const Weight*> weights) {
  GgufWriter::Tensor tensor;
  tensor.name = name;
  tensor.type = model::gguf_type_number((*weights.begin())->type);
  std::int64_t rows = 0;
  for (const Weight* weight : weights) {
    rows += weight->rows;
    for (std::int64_t r = 0; r < weight->rows; ++r) add_row(tensor, *weight, r);
  }
  tensor.shape = shape_of(rows, (*weights.begin())->columns);
  file.add_tensor(std::move(tensor));
}

/// One tensor of three dimensions.
void add_experts(GgufWriter& file, const std::string& name, const model::LayerWeights& layer,
                 Weight model::ExpertWeights::*slot) {
  if (layer.experts.empty()) return;
  GgufWriter::Tensor tensor;
  const Weight& first = layer.experts.front().*slot;
  tensor.name = name;
  tensor.type = model::gguf_type_number(first.type);
  tensor.shape = {static_cast<std::uint64_t>(first.columns), static_cast<std::uint64_t>(first.rows),
                  layer.experts.size()};
  for (const model::ExpertWeights& expert : layer.experts)
    for (std::int64_t r = 0; r < first.rows; ++r) add_row(tensor, expert.*slot, r);
  file.add_tensor(std::move(tensor));
}

/// @param head_width  above 0: rows of each head in neighbouring pairs, as llama files have them
void add(GgufWriter& file, const std::string& name, const Weight& weight, int head_width = 0) {
  if (weight.columns == 0) return;
  GgufWriter::Tensor tensor;
  tensor.name = name;
  tensor.shape = shape_of(weight.rows, weight.columns);
  tensor.type = model::gguf_type_number(weight.type);
  for (std::int64_t r = 0; r < weight.rows; ++r) {
    std::int64_t from = r;
    if (head_width > 0) {
      const std::int64_t in_head = r % head_width;
      from = r - in_head + in_head % 2 * (head_width / 2) + in_head / 2;
    }
    add_row(tensor, weight, from);
  }
  file.add_tensor(std::move(tensor));
}

/// As SentencePiece has it: the later a token is made by a merge, the lower its score.
void add_piece_tokenizer(GgufWriter& file, const text::TokenizerSpec& spec,
                         const std::vector<std::int32_t>& kinds) {
  std::vector<float> scores(spec.tokens.size());
  for (std::size_t rank = 0; rank < spec.merges.size(); ++rank) {
    const auto& [left, right] = spec.merges[rank];
    const auto made = std::find(spec.tokens.begin(), spec.tokens.end(), left + right);
    scores[static_cast<std::size_t>(made - spec.tokens.begin())] = -static_cast<float>(rank);
  }
  file.set("tokenizer.ggml.model", "llama");
  file.set("tokenizer.ggml.pre", "default");
  file.set("tokenizer.ggml.tokens", spec.tokens);
  file.set("tokenizer.ggml.token_type", kinds);
  file.set("tokenizer.ggml.scores", scores);
  file.set("tokenizer.ggml.bos_token_id", static_cast<std::uint32_t>(spec.bos));
  file.set("tokenizer.ggml.add_bos_token", true);
  file.set("tokenizer.ggml.add_space_prefix", false);
}

void add_tokenizer(GgufWriter& file, const text::TokenizerSpec& spec) {
  std::vector<std::int32_t> kinds;
  for (const text::TokenKind kind : spec.kinds)
    kinds.push_back(static_cast<std::int32_t>(kind) + 1);
  if (spec.model == "bpe") return add_piece_tokenizer(file, spec, kinds);
  std::vector<std::string> merges;
  for (const auto& [left, right] : spec.merges) merges.push_back(fmt::format("{} {}", left, right));
  file.set("tokenizer.ggml.model", "gpt2");
  file.set("tokenizer.ggml.pre", spec.pre);
  file.set("tokenizer.ggml.tokens", spec.tokens);
  file.set("tokenizer.ggml.token_type", kinds);
  file.set("tokenizer.ggml.merges", merges);
  if (spec.add_bos) {
    file.set("tokenizer.ggml.bos_token_id", static_cast<std::uint32_t>(spec.bos));
    file.set("tokenizer.ggml.add_bos_token", true);
  }
}

void add_numbers(GgufWriter& file, const std::string& name, const std::vector<float>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  file.add_tensor(
      {.name = name, .shape = {numbers.size()}, .type = 0, .data = {bytes.begin(), bytes.end()}});
}

/// @param scaling  "linear", "yarn", or empty: by tensors, if at all
void add_rope(GgufWriter& file, const std::string& prefix, const Model& model,
              const std::string& scaling) {
  const auto& divisors = model.config.rope_divisors;
  file.set(prefix + "rope.freq_base", model.config.rope_base);
  if (model.config.window_rope_base > 0)
    file.set(prefix + "rope.freq_base_swa", model.config.window_rope_base);
  file.set(prefix + "rope.dimension_count", static_cast<std::uint32_t>(model.config.rotary_width));
  if (divisors.empty()) return;
  if (scaling == "yarn") {
    file.set(prefix + "rope.scaling.type", scaling);
    file.set(prefix + "rope.scaling.factor", 4.0f);
    file.set(prefix + "rope.scaling.original_context_length",
             static_cast<std::uint32_t>(model.config.context) / 4);
    return;
  }
  if (prefix == "phi3.") {  // LongRoPE, whose context as loaded is the original one
    file.set(prefix + "rope.scaling.attn_factor", model.config.rope_scale);
    file.set(prefix + "rope.scaling.original_context_length",
             static_cast<std::uint32_t>(model.config.context));
    file.set(prefix + "context_length", static_cast<std::uint32_t>(model.config.long_context));
    add_numbers(file, "rope_factors_short.weight", divisors);
    add_numbers(file, "rope_factors_long.weight", model.config.long_rope_divisors);
    return;
  }
  if (scaling == "linear") {
    file.set(prefix + "rope.scaling.type", scaling);
    file.set(prefix + "rope.scaling.factor", divisors.front());
    return;
  }
  add_numbers(file, "rope_freqs.weight", divisors);
}

/// As files of other architectures have it, where the layers differ.
void add_windows(GgufWriter& file, const std::string& prefix, const std::vector<int>& windows) {
  if (windows.empty()) return;
  std::vector<bool> slides;
  for (const int window : windows) slides.push_back(window > 0);
  const auto window = static_cast<std::uint32_t>(*std::max_element(windows.begin(), windows.end()));
  file.set(prefix + "attention.sliding_window", window);
  if (prefix == "gemma2." || prefix == "gpt-oss.") return;
  if (prefix == "gemma3.") {
    file.set(prefix + "attention.sliding_window_pattern", 3u);
    return;
  }
  if (windows.front() == 0) file.set(prefix + "attention.sliding_window_pattern", slides);
}

/// The architecture's name in GGUF files.
std::string gguf_name(const std::string& architecture) {
  if (architecture == "mistral") return "llama";
  if (architecture == "gemma3_text") return "gemma3";
  if (architecture == "mixtral") return "llama";
  if (architecture == "qwen3_moe") return "qwen3moe";
  if (architecture == "gpt_oss") return "gpt-oss";
  return architecture == "gpt_bigcode" ? "starcoder" : architecture;
}

/// The keys of Gemma and Granite, and of models with experts.
void add_family(GgufWriter& file, const std::string& prefix, const model::ModelConfig& config) {
  if (config.experts > 0) {
    file.set(prefix + "expert_count", static_cast<std::uint32_t>(config.experts));
    file.set(prefix + "expert_used_count", static_cast<std::uint32_t>(config.used_experts));
  }
  if (prefix == "qwen3moe." || prefix == "gpt-oss.")
    file.set(prefix + "expert_feed_forward_length", static_cast<std::uint32_t>(config.ffn_width));
  if (prefix == "gemma2.") {
    file.set(prefix + "attn_logit_softcapping", config.attention_cap);
    file.set(prefix + "final_logit_softcapping", config.logit_cap);
  }
  if (prefix == "granite.") {
    file.set(prefix + "embedding_scale", config.embedding_scale);
    file.set(prefix + "residual_scale", config.residual_scale);
    file.set(prefix + "attention.scale", config.attention_scale);
    file.set(prefix + "logit_scale", config.logit_divisor);
  }
}

/// What layers of gpt-oss have besides.
void add_gpt_oss_layer(GgufWriter& file, const std::string& block,
                       const model::LayerWeights& layer) {
  add(file, block + "attn_output.bias", layer.o_bias);
  add(file, block + "attn_sinks.weight", layer.sinks);
  add(file, block + "ffn_gate_inp.bias", layer.router_bias);
  for (const auto& [name, slot] :
       {std::pair{"ffn_gate_exps.bias", &model::ExpertWeights::gate_bias},
        {"ffn_up_exps.bias", &model::ExpertWeights::up_bias},
        {"ffn_down_exps.bias", &model::ExpertWeights::down_bias}}) {
    GgufWriter::Tensor tensor;
    const Weight& first = layer.experts.front().*slot;
    tensor.name = block + name;
    tensor.type = model::gguf_type_number(first.type);
    tensor.shape = {static_cast<std::uint64_t>(first.columns), layer.experts.size()};
    for (const model::ExpertWeights& expert : layer.experts) add_row(tensor, expert.*slot, 0);
    file.add_tensor(std::move(tensor));
  }
}

/// A layer of bloom or starcoder.
void add_biased_layer(GgufWriter& file, const std::string& block,
                      const model::LayerWeights& layer) {
  add(file, block + "attn_norm.weight", layer.attn_norm);
  add(file, block + "attn_norm.bias", layer.attn_norm_bias);
  add_fused(file, block + "attn_qkv.weight", {&layer.q, &layer.k, &layer.v});
  add_fused(file, block + "attn_qkv.bias", {&layer.q_bias, &layer.k_bias, &layer.v_bias});
  add(file, block + "attn_output.weight", layer.o);
  add(file, block + "attn_output.bias", layer.o_bias);
  add(file, block + "ffn_norm.weight", layer.ffn_norm);
  add(file, block + "ffn_norm.bias", layer.ffn_norm_bias);
  add(file, block + "ffn_up.weight", layer.up);
  add(file, block + "ffn_up.bias", layer.up_bias);
  add(file, block + "ffn_down.weight", layer.down);
  add(file, block + "ffn_down.bias", layer.down_bias);
}

void add_llama_layer(GgufWriter& file, const std::string& block, const model::LayerWeights& layer,
                     bool fused, int pairs) {
  add(file, block + "attn_norm.weight", layer.attn_norm);
  if (fused) {
    add_fused(file, block + "attn_qkv.weight", {&layer.q, &layer.k, &layer.v});
    add_fused(file, block + "ffn_up.weight", {&layer.gate, &layer.up});
  } else {
    add(file, block + "attn_q.weight", layer.q, pairs);
    add(file, block + "attn_k.weight", layer.k, pairs);
    add(file, block + "attn_v.weight", layer.v);
    add(file, block + "ffn_gate.weight", layer.gate);
    add(file, block + "ffn_up.weight", layer.up);
  }
  add(file, block + "attn_q.bias", layer.q_bias);
  add(file, block + "attn_k.bias", layer.k_bias);
  add(file, block + "attn_v.bias", layer.v_bias);
  add(file, block + "attn_q_norm.weight", layer.q_norm);
  add(file, block + "attn_k_norm.weight", layer.k_norm);
  add(file, block + "attn_output.weight", layer.o);
  add(file, block + "post_attention_norm.weight", layer.post_attn_norm);
  const bool gpt_oss = layer.sinks.rows > 0;
  add(file, block + (gpt_oss ? "post_attention_norm.weight" : "ffn_norm.weight"), layer.ffn_norm);
  if (gpt_oss) add_gpt_oss_layer(file, block, layer);
  add(file, block + "ffn_down.weight", layer.down);
  add(file, block + "post_ffw_norm.weight", layer.post_ffn_norm);
  add(file, block + "ffn_gate_inp.weight", layer.router);
  add_experts(file, block + "ffn_gate_exps.weight", layer, &model::ExpertWeights::gate);
  add_experts(file, block + "ffn_up_exps.weight", layer, &model::ExpertWeights::up);
  add_experts(file, block + "ffn_down_exps.weight", layer, &model::ExpertWeights::down);
}

/// @param scaling  as of add_rope
std::vector<std::byte> as_gguf(const Model& model, const std::string& scaling) {
  const model::ModelConfig& config = model.config;
  const std::string architecture = gguf_name(config.architecture);
  const std::string prefix = architecture + ".";
  const bool biased = config.norm == model::Norm::kLayer;
  const auto number = [](int value) { return static_cast<std::uint32_t>(value); };
  GgufWriter file;
  file.set("general.architecture", architecture);
  file.set(prefix + "block_count", number(config.layers));
  file.set(prefix + "context_length", number(config.context));
  file.set(prefix + "embedding_length", number(config.width));
  file.set(prefix + "feed_forward_length", number(config.ffn_width));
  file.set(prefix + "attention.head_count", number(config.heads));
  file.set(prefix + "attention.head_count_kv", number(config.kv_heads));
  file.set(prefix + "attention.key_length", number(config.head_width));
  file.set(prefix + "attention.value_length", number(config.head_width));
  file.set(prefix + (biased ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"),
           config.norm_epsilon);
  if (!biased) add_rope(file, prefix, model, scaling);
  add_windows(file, prefix, config.windows);
  add_family(file, prefix, config);
  add_tokenizer(file, model.tokenizer);
  add(file, "token_embd.weight", model.embedding);
  add(file, "token_embd_norm.weight", model.embedding_norm);
  add(file, "token_embd_norm.bias", model.embedding_norm_bias);
  add(file, "position_embd.weight", model.positions);
  add(file, "output_norm.weight", model.final_norm);
  add(file, "output_norm.bias", model.final_norm_bias);
  if (!model.tied) add(file, "output.weight", model.head);
  const bool in_pairs =
      architecture == "llama" || architecture == "granite" || architecture == "smollm3";
  const int pairs = in_pairs ? config.head_width : 0;
  for (int l = 0; l < config.layers; ++l) {
    const model::LayerWeights& layer = model.layers[static_cast<std::size_t>(l)];
    const std::string block = fmt::format("blk.{}.", l);
    if (biased) {
      add_biased_layer(file, block, layer);
    } else {
      add_llama_layer(file, block, layer, architecture == "phi3", pairs);
    }
  }
  return file.bytes();
}

std::vector<float> logits_of(const Model& model, const std::vector<Token>& tokens) {
  const auto engine = make_engine(model, {.threads = 1});
  const auto cache = engine->make_cache(static_cast<int>(tokens.size()));
  Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, tokens, true);
  engine->forward(pass);
  std::vector<float> all;
  for (int i = 0; i < pass.logits.rows(); ++i) {
    const auto row = pass.logits.row(i);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

class SameInGguf : public testing::TestWithParam<const char*> {};

TEST_P(SameInGguf, ToTheBit) {
  Model folder = model::load_model(kFolders / GetParam());
  const std::string_view name = GetParam();
  if (name == "gemma2") folder.config.attention_scale = 0;  // GGUF has no key for another one
  if (name.starts_with("gpt_oss")) {                        // nor for the activation
    folder.config.gate_sharpness = 1.702f;
    folder.config.gate_limit = 7;
  }
  const bool linear = name == "llama_linear" || name == "gemma3";
  const bool yarn = name == "qwen2_yarn" || name.starts_with("gpt_oss");
  const auto bytes = as_gguf(folder, linear ? "linear" : yarn ? "yarn" : "");
  const Model file = model::parse_model(bytes, "converted");
  const std::string text = "Cafe\u0301s in 1234, WE'LL see \U0001f44d";
  const auto tokens = text::Tokenizer(folder.tokenizer).encode(text, true);
  EXPECT_EQ(text::Tokenizer(file.tokenizer).encode(text, true), tokens);
  EXPECT_EQ(logits_of(file, tokens), logits_of(folder, tokens));
  EXPECT_EQ(file.config.context, folder.config.context);
  EXPECT_EQ(file.config.long_context, folder.config.long_context);
  EXPECT_EQ(file.config.long_rope_divisors, folder.config.long_rope_divisors);
  EXPECT_EQ(file.config.windows, folder.config.windows);
}

INSTANTIATE_TEST_SUITE_P(
    , SameInGguf,
    testing::Values("llama_tied", "llama_sharded", "mistral", "llama3_scaled", "llama_linear",
                    "qwen2", "qwen3", "mistral_window", "qwen2_window", "phi3", "phi3_partial",
                    "phi3_longrope", "bloom", "bloom_three_heads", "gpt_bigcode",
                    "llama_heads_of_48", "qwen3_heads_of_80", "phi3_heads_of_80",
                    "bloom_heads_of_80", "gemma2", "gemma3", "granite", "smollm3", "qwen2_yarn",
                    "phi3_partial_longrope", "mixtral", "qwen3_moe", "gpt_oss", "gpt_oss_mxfp4"),
    [](const auto& folder) { return std::string(folder.param); });

}  // namespace
}  // namespace outrider::engine
