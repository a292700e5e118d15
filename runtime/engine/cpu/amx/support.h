#pragma once

#include <cstdint>

#include "runtime/engine/cpu/kernels.h"

namespace outrider::engine::cpu::amx {

enum class Support : std::uint8_t {
  kAbsent,    // the processor or the operating system has no tiles for 8-bit integers
  kRefused,   // the operating system does not permit this process to use them
  kDiffers,   // their products differ from those of AVX-512
  kReliable,  // a self-test at start gave the same bits
};

/// Whether the tiles of this machine can be used, determined at the first call. Call only where the
/// avx512 kernels run.
Support support();

/// The avx512 kernels with tiles for the products of quantised weights. Only for kReliable.
const Kernels& kernels();

/// Whether both give the same bits for random weights in every block packing, for few rows and for
/// many, on this thread and on another one; takes some milliseconds.
bool make_same_products(const Kernels& kernels, const Kernels& others);

}  // namespace outrider::engine::cpu::amx
