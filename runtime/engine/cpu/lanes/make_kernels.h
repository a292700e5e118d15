#pragma once

#include "runtime/base/bfloat16.h"
#include "runtime/engine/cpu/lanes/attend.h"
#include "runtime/engine/cpu/lanes/key_weights.h"
#include "runtime/engine/cpu/lanes/kv_numbers.h"
#include "runtime/engine/cpu/lanes/product_float.h"
#include "runtime/engine/cpu/lanes/product_int8.h"
#include "runtime/engine/cpu/lanes/quantise_row.h"
#include "runtime/engine/cpu/lanes/row_ops.h"
#include "runtime/engine/cpu/lanes/score_row.h"

namespace outrider::engine::cpu {

/// The table of kernels of one instruction set: `L` is its type of sixteen floats, `Quants` its
/// block of integer weights, `quantise_sixteen` its rounding of sixteen floats.
template <class L, class Quants, QuantiseSixteen quantise_sixteen>
constexpr Kernels make_kernels(const char* name) {
  return {name,
          // In the order of Packing.
          {product_float<L, float>, product_float<L, Half>, product_float<L, Bfloat16>,
           product_int8<L, Quants, Packing::kU4>, product_int8<L, Quants, Packing::kU4Min>,
           product_int8<L, Quants, Packing::kU5>, product_int8<L, Quants, Packing::kU5Min>,
           product_int8<L, Quants, Packing::kU8>, product_int8<L, Quants, Packing::kU4Super>,
           product_int8<L, Quants, Packing::kU5Super>, product_int8<L, Quants, Packing::kU6Super>,
           product_int8<L, Quants, Packing::kU2Super>, product_int8<L, Quants, Packing::kU8Super>,
           product_int8<L, Quants, Packing::kU8Float>},
          quantise<L, quantise_sixteen>,
          rms_norm<L>,
          layer_norm<L>,
          rope<L>,
          silu_times<L>,
          gelu_times<L>,
          clamped_times<L>,
          relu<L>,
          gelu_tanh<L>,
          gelu_erf<L>,
          soft_cap<L>,
          store_kv<L, float>,
          store_kv<L, Half>,
          store_kv_q8<L, quantise_sixteen>,
          attend<L, float>,
          attend<L, Half>,
          attend<L, std::byte>,
          weigh_keys<L, float>,
          weigh_keys<L, Half>,
          weigh_keys<L, std::byte>,
          {group_maxima<L>, exp_sums<L>}};
}

}  // namespace outrider::engine::cpu
