#include "runtime/engine/cpu/avx2/avx2_lanes.h"
#include "runtime/engine/cpu/avx2/avx2_quants.h"
#include "runtime/engine/cpu/lanes/make_kernels.h"

namespace outrider::engine::cpu::avx2 {

const Kernels kKernels = make_kernels<Lanes, Quants, quantise_sixteen>("avx2");

}  // namespace outrider::engine::cpu::avx2
