#pragma once

#include <vector>

#include "runtime/engine/engine.h"

namespace outrider::data {

/// Sums over a row of logits z, with x = z - largest, at least -87 each.
struct ExpSums {
  double exp = 0;        // of e^x
  double exp_times = 0;  // of x e^x; NaN if a logit is NaN
};

/// The two walks over a row that scoring takes, on one instruction set. All give the same bits.
struct ScoreKernels {
  static constexpr int kGroup = 64;

  /// The largest of every group of kGroup logits; the last group may be shorter.
  /// @param maxima  [ceil(n / kGroup)]
  void (*group_maxima)(const float* logits, int n, float* maxima);
  /// @param largest  of the row: no logit is above it
  ExpSums (*exp_sums)(const float* logits, int n, float largest);
};

/// @param isa  kAuto: the best that this processor has
/// @throws InputError when the processor lacks it
const ScoreKernels& score_kernels_for(engine::Isa isa);

namespace scalar {
extern const ScoreKernels kScoreKernels;
}
namespace avx2 {
extern const ScoreKernels kScoreKernels;
}
namespace avx512 {
extern const ScoreKernels kScoreKernels;
}

}  // namespace outrider::data
