#pragma once

#include <span>

#include "runtime/certify/row_bits.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/row_scorer.h"

namespace outrider::certify {

/// Scores rows of an engine's logits as traces store them, with the kernels of its instruction set.
class ScoredRows {
 public:
  explicit ScoredRows(const engine::Engine& engine);

  /// The bits of the log-probabilities of the kept tokens, the entropy and the remaining
  /// probability.
  Bits bits_of(std::span<const float> logits);

 private:
  sampling::RowScorer scorer_;
  sampling::RowScores scores_;
};

}  // namespace outrider::certify
