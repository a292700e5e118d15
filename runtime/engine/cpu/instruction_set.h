#pragma once

#include <vector>

#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/engine.h"

namespace outrider::engine::cpu {

/// The kernels for `isa`; kAuto is the fastest that this processor has. That is not AMX, whose tiles
/// are slower than AVX-512 where they ran (runtime/engine/README.md).
/// @throws InputError when the processor lacks it, or when its AMX fails the self-test
const Kernels& kernels_for(Isa isa);

/// All instruction sets of this processor.
std::vector<Isa> available_isas();
std::vector<const Kernels*> available_kernels();

}  // namespace outrider::engine::cpu
