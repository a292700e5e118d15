#pragma once

#include "runtime/base/token.h"

namespace outrider::engine {

/// Sums over a row of logits z, with x = z - largest, at least -87 each.
struct ExpSums {
  double exp = 0;        // of e^x
  double exp_times = 0;  // of x e^x; NaN if a logit is NaN
};

/// The two reductions over a row of logits that scoring needs. All engines give the same bits.
struct ScoreKernels {
  static constexpr int kGroup = 64;

  /// The largest of every group of kGroup logits; the last group may be shorter.
  /// @param maxima  [ceil(n / kGroup)]
  void (*group_maxima)(const float* logits, int n, float* maxima);
  /// @param largest   of the row: no logit is above it
  /// @param left_out  [num_left_out] ascending; each counts as a logit of -infinity
  ExpSums (*exp_sums)(const float* logits, int n, float largest, const Token* left_out,
                      int num_left_out);
};

}  // namespace outrider::engine
