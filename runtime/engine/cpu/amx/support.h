#pragma once

#include <cstdint>

#include "runtime/engine/cpu/kernels.h"

namespace outrider::engine::cpu::amx {

enum class Support : std::uint8_t {
  kAbsent,    // the processor, or the system, has no tiles for 8-bit integers
  kRefused,   // the system does not let this process use them
  kDiffers,   // they give other products than AVX-512 does
  kReliable,  // they have given the same bits in a test at start
};

/// What the tiles of this machine are good for, found out at the first call. Only where avx512's
/// kernels run.
Support support();

/// avx512's kernels with tiles for the products of quantised weights. Only for kReliable.
const Kernels& kernels();

/// Whether both make the same bits of random weights in every packing in blocks, for a few rows and
/// for many, on this thread and on another; some milliseconds.
bool make_same_products(const Kernels& kernels, const Kernels& others);

}  // namespace outrider::engine::cpu::amx
