#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/engine/score_kernels.h"

namespace outrider::draft {

/// The logarithm of a token's probability in softmax of a row of logits, in two walks over the row.
class TokenProbability {
 public:
  /// @param kernels  must outlive it
  TokenProbability(int num_logits, const engine::ScoreKernels& kernels);

  /// @param logits  [num_logits] of which the largest is finite
  float log_of(std::span<const float> logits, std::size_t token);

 private:
  const engine::ScoreKernels& kernels_;
  std::vector<float> maxima_;  // of groups of logits
};

}  // namespace outrider::draft
