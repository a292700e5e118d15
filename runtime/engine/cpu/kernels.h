#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/base/half.h"
#include "runtime/engine/cpu/attention.h"
#include "runtime/engine/cpu/packing.h"
#include "runtime/engine/score_kernels.h"
#include "runtime/engine/softmax.h"

namespace outrider::engine::cpu {

/// One query head of a row that was forwarded, and the keys whose attention is wanted.
template <typename Kv>
struct KeyWeights {
  const float* query;  // [head_width], as in AttentionQuery
  int head_width;
  const Kv* keys;    // as in Attention
  const int* slots;  // [count] ascending; each is the key's position
  int count;
  int position;   // the row's own
  float slope;    // ALiBi's, or 0
  float cap = 0;  // as in Attention
  Softmax softmax;
  float* out;  // [count]
};

/// A share of a product of packed weights with rows: out[r, 16 p + lane] = sum over k of w[p, k,
/// lane] * x[r, k] for the panels [first_panel, last_panel), one accumulator per output, k
/// ascending. x is given as floats for float packings and in quantised form for the others.
struct Product {
  const std::uint8_t* panels;
  int inputs;
  int first_panel;
  int last_panel;
  int rows;
  const float* x;  // [rows, inputs]
  const std::int8_t*
      quants;                // [inputs / 32, activation_stride, 32], the first `rows` of each block
  const BlockScale* scales;  // [inputs / 32, activation_stride]
  int activation_stride;
  float* out;  // [rows, out_stride]
  std::size_t out_stride;
  bool accumulate;  // add the finished sums to `out`
};

/// The arithmetic of a pass in one instruction set. All instruction sets give the same bits.
struct Kernels {
  const char* name;
  /// Indexed by Packing.
  void (*products[kNumPackings])(const Product& args);
  /// Quantises n numbers, a multiple of 32, block by block: scale = largest magnitude / 127,
  /// quant = nearest integer, ties to even. Block b goes to quants + 32 b stride, scales + b stride.
  void (*quantise)(const float* x, int n, int stride, std::int8_t* quants, BlockScale* scales);
  /// out[i] = x[i] / sqrt(mean(x^2) + epsilon) * weight[i]; n is a multiple of 16.
  void (*rms_norm)(const float* x, const float* weight, int n, float epsilon, float* out);
  /// out[i] = (x[i] - mean(x)) / sqrt(variance(x) + epsilon) * weight[i] + bias[i]; likewise.
  void (*layer_norm)(const float* x, const float* weight, const float* bias, int n, float epsilon,
                     float* out);
  /// Rotates a head in place: pairs (i, i + width / 2) by the angle whose cosine and sine are
  /// angles[i], angles[width / 2 + i]; width is even. Then multiplies by `scale`.
  void (*rope)(float* head, const float* angles, int width, float scale);
  /// gate[i] = gate[i] / (1 + exp(-gate[i])) * up[i]; n is a multiple of 16.
  void (*silu_times)(float* gate, const float* up, int n);
  /// gate[i] = gelu(gate[i]) * up[i], with the tanh form; likewise.
  void (*gelu_times)(float* gate, const float* up, int n);
  /// gate[i] = clamped_times(gate[i], up[i]) of lanes/activations.h; likewise.
  void (*clamped_times)(float* gate, const float* up, int n, float sharpness, float limit);
  /// Activations in place: max(x, 0); x Phi(x) with Phi the normal distribution by its tanh form,
  /// and by the error function; n is a multiple of 16.
  void (*relu)(float* x, int n);
  void (*gelu_tanh)(float* x, int n);
  void (*gelu_erf)(float* x, int n);
  /// x[i] = cap * tanh(x[i] / cap); n is a multiple of 16.
  void (*soft_cap)(float* x, int n, float cap);
  /// Writes one row's key and value of one KV head into slot `slot` (see KvLayout), and returns the largest magnitude
  /// of their numbers.
  float (*store_kv_f32)(const float* key, const float* value, int head_width, int slot, float* keys,
                        float* values);
  float (*store_kv_f16)(const float* key, const float* value, int head_width, int slot, Half* keys,
                        Half* values);
  float (*store_kv_q8)(const float* key, const float* value, int head_width, int slot,
                       std::byte* keys, std::byte* values);
  void (*attend_f32)(const Attention<float>& args);
  void (*attend_f16)(const Attention<Half>& args);
  void (*attend_q8)(const Attention<std::byte>& args);
  /// Attention weights of single keys, with the bits that `attend` computed with.
  void (*weigh_keys_f32)(const KeyWeights<float>& args);
  void (*weigh_keys_f16)(const KeyWeights<Half>& args);
  void (*weigh_keys_q8)(const KeyWeights<std::byte>& args);
  /// Kernels for a row of logits that the pass returned.
  ScoreKernels score;

  void product(Packing packing, const Product& args) const {
    products[static_cast<int>(packing)](args);
  }
  template <typename Kv>
  float store_kv(const float* key, const float* value, int head_width, int slot, Kv* keys,
                 Kv* values) const {
    return chosen<Kv>(store_kv_f32, store_kv_f16, store_kv_q8)(key, value, head_width, slot, keys,
                                                               values);
  }
  template <typename Kv>
  void attend(const Attention<Kv>& args) const {
    chosen<Kv>(attend_f32, attend_f16, attend_q8)(args);
  }
  template <typename Kv>
  void weigh_keys(const KeyWeights<Kv>& args) const {
    chosen<Kv>(weigh_keys_f32, weigh_keys_f16, weigh_keys_q8)(args);
  }

 private:
  /// The kernel for keys and values of type Kv.
  template <typename Kv, typename F32, typename F16, typename Q8>
  static auto chosen(F32 f32, F16 f16, Q8 q8) {
    if constexpr (std::is_same_v<Kv, float>) {
      return f32;
    } else if constexpr (std::is_same_v<Kv, Half>) {
      return f16;
    } else {
      return q8;
    }
  }
};

namespace scalar {
extern const Kernels kKernels;
}
namespace avx2 {
extern const Kernels kKernels;
}
namespace avx512 {
extern const Kernels kKernels;
}

}  // namespace outrider::engine::cpu
