#pragma once

#include <array>
#include <optional>
#include <span>

#include "runtime/engine/row_reader.h"
#include "runtime/sampling/row_scorer.h"

namespace outrider::draft {

/// What is known of a drafted token from its row of logits, for deciding whether another one is to follow
/// it (DISCO, Mamou et al. 2024, section 3): of softmax of the row at T = 1, nothing filtered, over the
/// draft's own vocabulary.
struct RowFeatures {
  static constexpr int kTop = 10;

  std::array<float, kTop> top =
      {};             // the largest probabilities, descending; of a smaller vocabulary
                      // the last are 0
  float entropy = 0;  // in nats
};

/// Reads them: in training as in drafting. Allocates nothing for rows of one length but for the first.
class RowFeatureReader {
 public:
  /// @param kernels  must outlive it
  explicit RowFeatureReader(const engine::ScoreKernels& kernels) : kernels_(kernels) {}

  /// @param logits  [tokens that can be drafted]
  /// @throws std::logic_error if one is NaN or the largest is infinite
  RowFeatures read(std::span<const float> logits);
  /// Of a row that was read elsewhere. @param sums  with the largest logits, RowFeatures::kTop or all
  RowFeatures of(const engine::RowAnswer& sums);

 private:
  const engine::ScoreKernels& kernels_;
  std::optional<sampling::RowScorer> scorer_;
  std::size_t tokens_ = 0;  // of its rows
  engine::RowAnswer sums_;
  sampling::RowScores scores_;
};

}  // namespace outrider::draft
