#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/engine/score_kernels.h"

namespace outrider::draft {

/// What turns the logits of a row into logarithms of probabilities of softmax.
struct LogSoftmax {
  float largest = 0;
  double log_sum = 0;  // of exp(logit - largest)

  float of(float logit) const {
    return static_cast<float>(static_cast<double>(logit) - static_cast<double>(largest) - log_sum);
  }
};

/// The logarithms of probabilities in softmax of a row of logits, in two walks over the row.
class TokenProbability {
 public:
  /// @param kernels  must outlive it
  TokenProbability(int num_logits, const engine::ScoreKernels& kernels);

  /// @param logits  [num_logits] of which the largest is finite
  LogSoftmax of(std::span<const float> logits);
  /// The log-probability of one token.
  float log_of(std::span<const float> logits, std::size_t token) {
    return of(logits).of(logits[token]);
  }

 private:
  const engine::ScoreKernels& kernels_;
  std::vector<float> maxima_;  // of groups of logits
};

}  // namespace outrider::draft
