#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace outrider::model {

/// Far above any existing model; they keep all products of sizes within 64 bits.
namespace limits {
constexpr std::int64_t kLayers = 4096;
constexpr std::int64_t kHeads = 4096;
constexpr std::int64_t kExperts = 4096;
constexpr std::int64_t kHeadWidth = 4096;
constexpr std::int64_t kWidth = 1 << 20;
constexpr std::int64_t kVocab = 1 << 24;
constexpr std::int64_t kContext = 1 << 28;
}  // namespace limits

/// How rows are normalised: by their root mean square, or by mean and variance with a bias.
enum class Norm : std::uint8_t { kRms, kLayer };

/// The activation of the feed-forward network. The first three are gated: silu(gate) * up, gelu(gate) * up by
/// its tanh form, and the clamped one of gpt-oss, g / (1 + exp(-sharpness g)) * (u + 1) with g and u the gate and up
/// within the limit; the others are applied to `up`, without a gate.
enum class Activation : std::uint8_t {
  kGatedSilu,
  kGatedGelu,
  kGatedClamped,
  kRelu,
  kGeluTanh,
  kGeluErf
};

constexpr bool is_gated(Activation activation) {
  return activation == Activation::kGatedSilu || activation == Activation::kGatedGelu ||
         activation == Activation::kGatedClamped;
}

/// How positions are encoded.
enum class Positions : std::uint8_t {
  kRotary,   // queries and keys are rotated
  kLearned,  // a row of a table is added to the token's embedding
  kAlibi     // scores decrease with distance, by a slope per head
};

/// "rotary", "learned", "ALiBi".
constexpr const char* name_of(Positions positions) {
  return positions == Positions::kRotary    ? "rotary"
         : positions == Positions::kLearned ? "learned"
                                            : "ALiBi";
}

/// The shape of a decoder-only transformer. Every file format fills this one struct.
struct ModelConfig {
  std::string architecture;  // "llama"
  int layers = 0;
  int width = 0;       // of the residual stream
  int heads = 0;       // query heads
  int kv_heads = 0;    // key and value heads; divides `heads`
  int head_width = 0;  // of one head
  int ffn_width = 0;   // of each expert, where there are experts
  int experts =
      0;  // feed-forward networks of a layer, of which a router chooses for each row; 0: one, for all
  int used_experts = 0;            // chosen for a row
  bool experts_sum_to_one = true;  // the shares of those; else the shares of all experts do
  int vocab = 0;
  int context = 0;  // maximum sequence length in tokens
  /// [layers] attention windows: the number of positions a row attends to, its own included; 0: its whole
  /// path. Empty: no layer has a window.
  std::vector<int> windows;
  float rope_base = 0;
  int rotary_width = 0;  // so many leading numbers of each head are rotated
  float rope_scale = 1;  // factor of cosines and sines
  /// [rotary_width / 2] divisors of the rotary frequencies, for contexts longer than the original
  /// training's; empty: none.
  std::vector<float> rope_divisors;
  /// LongRoPE's divisors of contexts beyond the original one, and the longest of these; see extend_context.
  std::vector<float> long_rope_divisors;
  int long_context = 0;
  /// The rotary base of layers with windows, which have neither divisors nor a scale then; 0: as all layers.
  float window_rope_base = 0;
  /// [layers] whether a layer rotates queries and keys; empty: all do.
  std::vector<bool> rotates;
  float norm_epsilon = 0;
  Norm norm = Norm::kRms;
  Activation activation = Activation::kGatedSilu;
  float gate_sharpness = 0;  // of kGatedClamped
  float gate_limit = 0;      // likewise: the most of a gate, and of an up's magnitude
  Positions positions = Positions::kRotary;
  int first_position = 0;     // row of the position table for the first token of a text
  float embedding_scale = 1;  // factor of the tokens' embeddings
  float residual_scale = 1;  // factor of what attention and feed-forward add to the residual stream
  float attention_scale = 0;  // factor of attention's scores; 0: 1 / sqrt(head_width)
  float attention_cap = 0;    // soft bound b of a score s, which becomes b tanh(s / b); 0: none
  float logit_divisor = 1;    // of the logits, before their bound
  float logit_cap = 0;        // soft bound of the logits, likewise; 0: none
  /// Numbers of the states that rows are given as, of which a projection makes the residual stream's
  /// first state; 0: rows are tokens, or states of the width.
  int state_inputs = 0;
};

}  // namespace outrider::model
