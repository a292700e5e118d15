#pragma once

#include <memory>

#include "runtime/certify/row_bits.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/chooser.h"

namespace outrider::certify {

/// Scores rows of an engine's logits as traces store them, where they lie.
class ScoredRows {
 public:
  explicit ScoredRows(engine::Engine& engine);

  /// The bits of the log-probabilities of the kept tokens, the entropy and the remaining
  /// probability.
  Bits bits_of(const engine::Logits& logits, int row);

 private:
  std::unique_ptr<sampling::Chooser> chooser_;
  sampling::RowScores scores_;
};

}  // namespace outrider::certify
