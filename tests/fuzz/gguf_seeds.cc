#include "tests/fuzz/gguf_seeds.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/model/gguf/gguf_tensor.h"
#include "tests/support/piece_gguf.h"
#include "tests/support/tiny_llama.h"
#include "tests/tokenizer/small_pieces.h"

namespace outrider::fuzz {
namespace {

using model::WeightType;
using test::GgufWriter;
using test::TinyShape;

constexpr int kTokens = 6;

/// One layer, some 6 kB: small files are fuzzed faster.
constexpr TinyShape small_shape(bool tied, bool fused = false) {
  return {.layers = 1,
          .width = 32,
          .heads = 2,
          .kv_heads = 1,
          .head_width = 16,
          .ffn_width = 32,
          .context = 64,
          .tied = tied,
          .fused = fused};
}

/// Leaves a matrix that has a row for each token so many.
void cut_vocabulary(GgufWriter::Tensor& tensor, std::size_t tokens) {
  tensor.data.resize(tensor.data.size() / tensor.shape[1] * tokens);
  tensor.shape[1] = tokens;
}

/// A model of six tokens.
GgufWriter small_model(const TinyShape& shape, WeightType type) {
  GgufWriter file = test::tiny_llama_writer(shape, 5, type);
  file.set("tokenizer.ggml.tokens",
           std::vector<std::string>{"<|endoftext|>", "<|im_start|>", "<|im_end|>", "a", "b", "ab"});
  file.set("tokenizer.ggml.token_type", std::vector<std::int32_t>{3, 3, 3, 1, 1, 1});
  file.set("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
  file.set("tokenizer.chat_template", "{{ messages }}");
  file.set(shape.fused ? "phi3.vocab_size" : "llama.vocab_size",
           static_cast<std::uint32_t>(kTokens));
  for (const char* name : {"token_embd.weight", "output.weight"}) {
    if (shape.tied && name == std::string_view("output.weight")) continue;
    cut_vocabulary(file.tensor(name), kTokens);
  }
  return file;
}

/// The same with SentencePiece's tokenizer: a score for every piece, a token for every byte.
GgufWriter small_pieces_model() {
  const auto spec = test::small_pieces({{"\u2581", -9}, {"a", -8}, {"\u2581a", -1}});
  GgufWriter file = test::tiny_llama_writer(small_shape(true), 5, WeightType::kQ4_0);
  file.erase("tokenizer.ggml.merges");
  file.erase("tokenizer.ggml.add_bos_token");
  test::set_pieces(file, spec);
  file.set("llama.vocab_size", static_cast<std::uint32_t>(spec.tokens.size()));
  cut_vocabulary(file.tensor("token_embd.weight"), spec.tokens.size());
  return file;
}

GgufWriter small_model(WeightType type, bool tied) { return small_model(small_shape(tied), type); }

/// Rows of 256 numbers, which the K types need, and as few of them as can be.
GgufWriter small_k_quants() {
  GgufWriter file = small_model({.layers = 1,
                                 .width = 256,
                                 .heads = 1,
                                 .kv_heads = 1,
                                 .head_width = 2,
                                 .ffn_width = 2,
                                 .context = 64,
                                 .tied = true},
                                WeightType::kF32);
  const std::pair<const char*, WeightType> types[] = {
      {"token_embd.weight", WeightType::kQ6_K},     {"blk.0.attn_q.weight", WeightType::kQ4_K},
      {"blk.0.attn_k.weight", WeightType::kQ5_K},   {"blk.0.attn_v.weight", WeightType::kQ4_K},
      {"blk.0.ffn_gate.weight", WeightType::kQ5_K}, {"blk.0.ffn_up.weight", WeightType::kQ6_K}};
  for (const auto& [name, type] : types) {
    GgufWriter::Tensor& tensor = file.tensor(name);
    tensor.type = model::gguf_type_number(type);
    // One block a row; any bytes are a block.
    tensor.data.resize(tensor.shape[1] * static_cast<std::size_t>(model::block_shape(type).bytes));
  }
  return file;
}

/// Fused tensors, windows and LongRoPE.
GgufWriter small_phi3() {
  GgufWriter file = small_model(small_shape(true, true), WeightType::kQ4_0);
  file.set("phi3.attention.sliding_window", 16u);
  file.set("phi3.attention.sliding_window_pattern", std::vector<bool>{true});
  file.set("phi3.rope.dimension_count", 8u);
  file.set("phi3.rope.scaling.attn_factor", 1.25f);
  file.set("phi3.rope.scaling.original_context_length", 32u);
  const float ones[] = {1, 1, 1, 1};
  const auto bytes = std::as_bytes(std::span(ones));
  for (const char* name : {"rope_factors_long.weight", "rope_factors_short.weight"})
    file.add_tensor({name, {4}, 0, {bytes.begin(), bytes.end()}});
  return file;
}

/// A bloom, or a starcoder: biases, fused Q, K and V of one KV head, a norm of the embedding or a table
/// of positions.
GgufWriter small_older(const std::string& architecture) {
  GgufWriter file;
  file.set("general.architecture", architecture);
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, std::uint32_t>>{{"block_count", 1},
                                                                    {"context_length", 4},
                                                                    {"embedding_length", 32},
                                                                    {"feed_forward_length", 32},
                                                                    {"attention.head_count", 2},
                                                                    {"attention.head_count_kv", 1},
                                                                    {"vocab_size", 3}})
    file.set(architecture + "." + key, value);
  file.set(architecture + ".attention.layer_norm_epsilon", 1e-5f);
  file.set("tokenizer.ggml.model", "gpt2");
  file.set("tokenizer.ggml.pre", architecture);
  file.set("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b", "ab"});
  file.set("tokenizer.ggml.token_type", std::vector<std::int32_t>{1, 1, 1});
  file.set("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
  const auto zeros = [&](const std::string& name, const std::vector<std::uint64_t>& shape) {
    const std::uint64_t count = shape[0] * (shape.size() > 1 ? shape[1] : 1);
    file.add_tensor({name, shape, 0, std::vector<std::byte>(count * 4)});
  };
  const auto norm = [&](const std::string& name) {
    zeros(name + ".weight", {32});
    zeros(name + ".bias", {32});
  };
  const auto projection = [&](const std::string& name, std::uint64_t rows) {
    zeros(name + ".weight", {32, rows});
    zeros(name + ".bias", {rows});
  };
  zeros("token_embd.weight", {32, 3});
  if (architecture == "bloom") {
    norm("token_embd_norm");
  } else {
    zeros("position_embd.weight", {32, 4});
  }
  norm("output_norm");
  norm("blk.0.attn_norm");
  projection("blk.0.attn_qkv", 64);
  projection("blk.0.attn_output", 32);
  norm("blk.0.ffn_norm");
  projection("blk.0.ffn_up", 32);
  projection("blk.0.ffn_down", 32);
  return file;
}

}  // namespace

std::map<std::string, std::string> gguf_seeds() {
  std::map<std::string, std::string> seeds;
  const auto add = [&](const std::string& name, const GgufWriter& writer) {
    const auto bytes = writer.bytes();
    seeds[name] = std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  for (const WeightType type :
       {WeightType::kF32, WeightType::kF16, WeightType::kBF16, WeightType::kQ4_0, WeightType::kQ4_1,
        WeightType::kQ5_0, WeightType::kQ5_1, WeightType::kQ8_0}) {
    std::string name = model::type_name(type);
    std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
    });
    add("valid_" + name, small_model(type, type != WeightType::kQ8_0));
  }
  add("valid_k_quants", small_k_quants());
  add("valid_phi3", small_phi3());
  add("valid_bloom", small_older("bloom"));
  add("valid_starcoder", small_older("starcoder"));
  add("valid_pieces", small_pieces_model());
  GgufWriter unscored = small_pieces_model();
  unscored.erase("tokenizer.ggml.scores");
  add("pieces_without_scores", unscored);
  GgufWriter keys = small_model(WeightType::kQ4_0, true);
  keys.set("general.alignment", 32u);
  keys.set("general.quantization_version", 2u);
  keys.set("llama.attention.head_count_kv", std::vector<std::int32_t>{1});
  keys.set("llama.rope.scaling.type", "none");
  keys.set("tokenizer.ggml.eot_token_id", 0u);
  keys.set("tokenizer.ggml.add_bos_token", true);
  add("valid_more_keys", keys);

  GgufWriter claim;
  claim.set_raw("general.name", 8, std::vector<std::byte>(8, std::byte{0x7F}));
  add("huge_length", claim);
  GgufWriter foreign = small_model(WeightType::kQ4_1, true);
  foreign.set("general.architecture", "qwen2");
  foreign.tensor("output_norm.weight").type = 10;  // Q2_K
  add("foreign", foreign);
  return seeds;
}

}  // namespace outrider::fuzz
