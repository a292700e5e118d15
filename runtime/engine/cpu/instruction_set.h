#pragma once

#include <vector>

#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/engine.h"

namespace outrider::engine::cpu {

/// The kernels for `isa`, kAuto being the best that this processor has.
/// @throws InputError when the processor lacks it, or its AMX is not to be relied on
const Kernels& kernels_for(Isa isa);

/// All that this processor has, scalar first and the best last.
std::vector<Isa> available_isas();
std::vector<const Kernels*> available_kernels();

}  // namespace outrider::engine::cpu
