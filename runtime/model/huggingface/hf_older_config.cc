#include <fmt/core.h>

#include <string>

#include "runtime/model/huggingface/hf_config_parts.h"
#include "runtime/model/huggingface/hf_extra_keys.h"

namespace outrider::model {
namespace {

// Additional keys of each type; the last lines do not change the computation.
constexpr std::string_view kOptKeys[] = {
    "model_type", "num_hidden_layers", "hidden_size", "num_attention_heads", "ffn_dim",
    "max_position_embeddings", "activation_function", "vocab_size", "eos_token_id",
    "tie_word_embeddings", "quantization_config", "do_layer_norm_before",
    "_remove_final_layer_norm", "word_embed_proj_dim", "enable_bias",
    "layer_norm_elementwise_affine",
    // for training
    "activation_dropout", "dropout", "init_std", "layerdrop", "prefix"};
constexpr std::string_view kBloomKeys[] = {
    "model_type", "n_layer", "num_hidden_layers", "hidden_size", "n_embed", "n_head",
    "num_attention_heads", "n_inner", "seq_length", "layer_norm_epsilon", "vocab_size",
    "eos_token_id", "tie_word_embeddings", "quantization_config",
    "apply_residual_connection_post_layernorm",
    // for training, or rounding in other programs
    "attention_softmax_in_fp32", "bias_dropout_fusion", "hidden_dropout", "masked_softmax_fusion",
    "offset_alibi", "pretraining_tp", "skip_bias_add", "skip_bias_add_qkv", "slow_but_exact"};
constexpr std::string_view kBigCodeKeys[] = {
    "model_type", "n_layer", "n_embd", "n_head", "n_inner", "n_positions", "activation_function",
    "layer_norm_epsilon", "vocab_size", "eos_token_id", "tie_word_embeddings",
    "quantization_config", "multi_query", "scale_attn_weights", "num_key_value_heads",
    // for training, or other programs
    "attention_softmax_in_fp32", "attn_pdrop", "inference_runner", "max_batch_size",
    "max_sequence_length", "pad_key_length", "pre_allocate_kv_cache", "runner_max_sequence_length",
    "scale_attention_softmax_in_fp32", "summary_activation", "summary_first_dropout",
    "summary_proj_to_labels", "summary_type", "summary_use_proj", "validate_runner_input"};

constexpr float kOptEpsilon = 1e-5f;          // of PyTorch's LayerNorm; not in the files
constexpr int kOptFirstPosition = 2;          // the first two rows of its table are unused
constexpr std::int64_t kBloomContext = 2048;  // of its training, for files without the key

/// Refuses the other value of a flag.
void expect(const JsonObject& file, const char* key, bool value) {
  if (file.flag(key).value_or(value) != value)
    file.fail(key, value ? "false" : "true", value ? "true" : "false");
}

int size(const JsonObject& file, const char* key, std::int64_t high) {
  return static_cast<int>(file.required_integer(key, 1, high));
}

/// A size with two possible names.
int size(const JsonObject& file, const char* key, const char* other, std::int64_t high) {
  if (file.find(other) == nullptr) return size(file, key, high);
  const int value = size(file, other, high);
  file.integer(key, value, value);
  return value;
}

/// The sizes common to all types; heads divide the width.
void set_heads(const JsonObject& file, const char* key, int heads, int kv_heads,
               ModelConfig& shape) {
  if (shape.width % heads != 0)
    file.fail(key, std::to_string(heads), fmt::format("a divisor of the width {}", shape.width));
  shape.heads = heads;
  shape.kv_heads = kv_heads;
  shape.head_width = shape.width / heads;
}

Activation read_activation(const JsonObject& file, const char* when_absent) {
  constexpr const char* kKey = "activation_function";
  const std::string name = file.text(kKey).value_or(when_absent);
  if (name == "relu") return Activation::kRelu;
  if (name == "gelu") return Activation::kGeluErf;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::kGeluTanh;
  file.fail(kKey, fmt::format("'{}'", name), "'relu', 'gelu', 'gelu_new' or 'gelu_pytorch_tanh'");
}

float read_epsilon(const JsonObject& file) {
  file.required("layer_norm_epsilon");
  return static_cast<float>(*file.number("layer_norm_epsilon", 0, 1));
}

void read_opt(const JsonObject& file, ModelConfig& shape) {
  refuse_other_keys(file, kOptKeys);
  expect(file, "do_layer_norm_before", true);
  expect(file, "_remove_final_layer_norm", false);
  expect(file, "enable_bias", true);
  expect(file, "layer_norm_elementwise_affine", true);
  shape.layers = size(file, "num_hidden_layers", limits::kLayers);
  shape.width = size(file, "hidden_size", limits::kWidth);
  file.integer("word_embed_proj_dim", shape.width, shape.width);
  const int heads = size(file, "num_attention_heads", limits::kHeads);
  set_heads(file, "num_attention_heads", heads, heads, shape);
  shape.ffn_width = size(file, "ffn_dim", limits::kWidth);
  shape.context = size(file, "max_position_embeddings", limits::kContext);
  shape.norm_epsilon = kOptEpsilon;
  shape.activation = read_activation(file, "relu");
  shape.positions = Positions::kLearned;
  shape.first_position = kOptFirstPosition;
}

void read_bloom(const JsonObject& file, ModelConfig& shape) {
  refuse_other_keys(file, kBloomKeys);
  expect(file, "apply_residual_connection_post_layernorm", false);
  shape.layers = size(file, "n_layer", "num_hidden_layers", limits::kLayers);
  shape.width = size(file, "hidden_size", "n_embed", limits::kWidth / 4);
  const int heads = size(file, "n_head", "num_attention_heads", limits::kHeads);
  set_heads(file, "n_head", heads, heads, shape);
  shape.ffn_width = 4 * shape.width;
  file.integer("n_inner", shape.ffn_width, shape.ffn_width);
  shape.context =
      static_cast<int>(file.integer("seq_length", 1, limits::kContext).value_or(kBloomContext));
  shape.norm_epsilon = read_epsilon(file);
  shape.activation = Activation::kGeluTanh;
  shape.positions = Positions::kAlibi;
}

void read_bigcode(const JsonObject& file, ModelConfig& shape) {
  refuse_other_keys(file, kBigCodeKeys);
  expect(file, "multi_query", true);
  expect(file, "scale_attn_weights", true);
  expect(file, "add_cross_attention", false);
  shape.layers = size(file, "n_layer", limits::kLayers);
  shape.width = size(file, "n_embd", limits::kWidth / 4);
  set_heads(file, "n_head", size(file, "n_head", limits::kHeads), 1, shape);
  file.integer("num_key_value_heads", 1, 1);
  shape.ffn_width =
      static_cast<int>(file.integer("n_inner", 1, limits::kWidth).value_or(4 * shape.width));
  shape.context = size(file, "n_positions", limits::kContext);
  shape.norm_epsilon = read_epsilon(file);
  shape.activation = read_activation(file, "gelu_pytorch_tanh");
  shape.positions = Positions::kLearned;
}

struct OlderType {
  std::string_view model_type;
  void (*read)(const JsonObject& file, ModelConfig& shape);
};

constexpr OlderType kTypes[] = {
    {"opt", read_opt}, {"bloom", read_bloom}, {"gpt_bigcode", read_bigcode}};

}  // namespace

bool is_older_type(std::string_view model_type) {
  for (const OlderType& type : kTypes)
    if (type.model_type == model_type) return true;
  return false;
}

void read_older_shape(const JsonObject& file, ModelConfig& shape) {
  shape.norm = Norm::kLayer;
  for (const OlderType& type : kTypes)
    if (type.model_type == shape.architecture) type.read(file, shape);
}

}  // namespace outrider::model
