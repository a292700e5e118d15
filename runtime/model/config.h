#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace outrider::model {

/// Far above any model there is; they keep every product of sizes inside 64 bits.
namespace limits {
constexpr std::int64_t kLayers = 4096;
constexpr std::int64_t kHeads = 4096;
constexpr std::int64_t kHeadWidth = 4096;
constexpr std::int64_t kWidth = 1 << 20;
constexpr std::int64_t kVocab = 1 << 24;
constexpr std::int64_t kContext = 1 << 28;
}  // namespace limits

/// How rows are normalised: by their mean square, or by mean and variance, with a bias.
enum class Norm : std::uint8_t { kRms, kLayer };

/// What makes the feed-forward step bend. The first is gated: silu(gate) * up; the others are applied to
/// `up`, and there is no gate.
enum class Activation : std::uint8_t { kGatedSilu, kRelu, kGeluTanh, kGeluErf };

/// How a row's place in the text enters.
enum class Positions : std::uint8_t {
  kRotary,   // queries and keys are rotated
  kLearned,  // a row of a table is added to the token's embedding
  kAlibi     // scores fall off with distance, by a slope for each head
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
  int ffn_width = 0;
  int vocab = 0;
  int context = 0;  // longest sequence the model was made for, in tokens
  /// [layers] how many positions a row sees there, counted back from its own; 0: all of its path. Empty:
  /// no layer has a window.
  std::vector<int> windows;
  float rope_base = 0;
  int rotary_width = 0;  // of a head: so many of its first numbers are rotated
  float rope_scale = 1;  // what cosines and sines are multiplied by
  /// [rotary_width / 2] what the rotary frequencies are divided by, for contexts longer than those the
  /// model was first trained on; empty: nothing.
  std::vector<float> rope_divisors;
  float norm_epsilon = 0;
  Norm norm = Norm::kRms;
  Activation activation = Activation::kGatedSilu;
  Positions positions = Positions::kRotary;
  int first_position = 0;  // the row of a table of positions that the first token of a text takes
};

}  // namespace outrider::model
