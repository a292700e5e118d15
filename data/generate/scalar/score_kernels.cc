#include "data/generate/score_kernels.h"

#include "data/generate/lanes/score_row.h"
#include "runtime/engine/cpu/scalar/lanes.h"

namespace outrider::data::scalar {

const ScoreKernels kScoreKernels = make_score_kernels<engine::cpu::scalar::Lanes>();

}  // namespace outrider::data::scalar
