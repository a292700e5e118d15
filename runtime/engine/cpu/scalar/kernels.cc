#include "runtime/engine/cpu/lanes/make_kernels.h"
#include "runtime/engine/cpu/scalar/scalar_lanes.h"
#include "runtime/engine/cpu/scalar/scalar_quants.h"

namespace outrider::engine::cpu::scalar {

const Kernels kKernels = make_kernels<Lanes, Quants, quantise_sixteen>("scalar");

}  // namespace outrider::engine::cpu::scalar
