#pragma once

#include <span>
#include <vector>

#include "runtime/certify/row_bits.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/row_scorer.h"

namespace outrider::certify {

/// Rows of an engine's logits as traces keep them, by the kernels of its instruction set.
class ScoredRows {
 public:
  explicit ScoredRows(const engine::Engine& engine);

  /// Of the tokens kept, their log-probabilities, the entropy and the probability of all others.
  Bits bits_of(std::span<const float> logits);

 private:
  sampling::RowScorer scorer_;
  sampling::RowScores scores_;
  std::vector<float> logits_;  // which scoring overwrites
};

}  // namespace outrider::certify
