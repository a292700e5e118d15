#include "runtime/engine/cpu/avx512/avx512_lanes.h"
#include "runtime/engine/cpu/avx512/avx512_quants.h"
#include "runtime/engine/cpu/lanes/make_kernels.h"

namespace outrider::engine::cpu::avx512 {

const Kernels kKernels = make_kernels<Lanes, Quants, quantise_sixteen>("avx512");

}  // namespace outrider::engine::cpu::avx512
