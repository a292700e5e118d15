#include "data/generate/score_kernels.h"

#include "data/generate/lanes/score_row.h"
#include "runtime/engine/cpu/avx512/lanes.h"

namespace outrider::data::avx512 {

const ScoreKernels kScoreKernels = make_score_kernels<engine::cpu::avx512::Lanes>();

}  // namespace outrider::data::avx512
