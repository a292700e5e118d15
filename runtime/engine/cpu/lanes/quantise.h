#pragma once

#include <cstdint>

#include "runtime/engine/cpu/packing.h"

namespace outrider::engine::cpu {

/// Writes the sixteen integers nearest to x * factor, ties to even, and returns their sum.
using QuantiseSixteen = std::int32_t (*)(const float* x, float factor, std::int8_t* out);

template <class L, QuantiseSixteen quantise_sixteen>
void quantise(const float* x, int n, int stride, std::int8_t* quants, BlockScale* scales) {
  for (int i = 0; i < n; i += 32, quants += 32 * stride, scales += stride) {
    const L a = L::load(x + i);
    const L b = L::load(x + i + 16);
    const L zero = L::zero();
    const float most = L::max(L::max(a, zero - a), L::max(b, zero - b)).largest();
    // A block whose numbers are too small for a finite quotient becomes zero.
    const bool vanishes = !(most >= 1e-30f);
    const float scale = vanishes ? 0.0f : most / 127.0f;
    const float factor = vanishes ? 0.0f : 127.0f / most;
    const std::int32_t first = quantise_sixteen(x + i, factor, quants);
    const std::int32_t last = quantise_sixteen(x + i + 16, factor, quants + 16);
    *scales = block_scale(scale, first, last);
  }
}

}  // namespace outrider::engine::cpu
