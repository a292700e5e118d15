#pragma once

#include <span>
#include <vector>

#include "runtime/engine/score_kernels.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::sampling {

/// The k largest logits of rows, in little more than one walk over a row: only groups with a logit above the
/// k-th best so far are looked into.
class TopLogits {
 public:
  /// @param top      k, at least 1
  /// @param kernels  must outlive it
  TopLogits(int top, int num_logits, const engine::ScoreKernels& kernels);

  /// @param logits  [num_logits]
  /// @return best first, the lowest id first among equals; `value` and `score` are the logit. Valid until the
  ///         next call. Fewer than k where there are no more above -infinity.
  /// @throws std::logic_error for another number of logits
  std::span<const RankedToken> of(std::span<const float> logits);

 private:
  const engine::ScoreKernels& kernels_;
  int top_;
  std::size_t num_logits_;
  std::vector<float> maxima_;  // of groups of logits
  std::vector<RankedToken> best_;
};

}  // namespace outrider::sampling
