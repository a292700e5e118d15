#include "data/generate/score_kernels.h"

#include "data/generate/lanes/score_row.h"
#include "runtime/engine/cpu/avx2/lanes.h"

namespace outrider::data::avx2 {

const ScoreKernels kScoreKernels = make_score_kernels<engine::cpu::avx2::Lanes>();

}  // namespace outrider::data::avx2
