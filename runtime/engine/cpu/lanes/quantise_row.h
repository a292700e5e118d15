#pragma once

#include <cstdint>

#include "runtime/engine/cpu/block_rounding.h"
#include "runtime/engine/cpu/lanes/activations.h"
#include "runtime/engine/cpu/packing.h"

namespace outrider::engine::cpu {

/// Writes the sixteen integers nearest to x * factor, ties to even, and returns their sum.
using QuantiseSixteen = std::int32_t (*)(const float* x, float factor, std::int8_t* out);

template <class L, QuantiseSixteen quantise_sixteen>
void quantise(const float* x, int n, int stride, std::int8_t* quants, BlockScale* scales) {
  for (int i = 0; i < n; i += 32, quants += 32 * stride, scales += stride) {
    const float most =
        L::max(magnitudes(L::load(x + i)), magnitudes(L::load(x + i + 16))).largest();
    const BlockRounding rounding = block_rounding(most);
    const std::int32_t first = quantise_sixteen(x + i, rounding.factor, quants);
    const std::int32_t last = quantise_sixteen(x + i + 16, rounding.factor, quants + 16);
    *scales = block_scale(rounding.scale, first, last);
  }
}

}  // namespace outrider::engine::cpu
