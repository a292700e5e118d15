#include "runtime/engine/avx512/lanes.h"
#include "runtime/engine/avx512/quants.h"
#include "runtime/engine/lanes/make_kernels.h"

namespace outrider::engine::avx512 {

const Kernels kKernels = make_kernels<Lanes, Quants, quantise_sixteen>("avx512");

}  // namespace outrider::engine::avx512
