#pragma once

#include <array>
#include <memory>

#include "runtime/engine/engine.h"
#include "runtime/engine/row_reader.h"
#include "runtime/sampling/chooser.h"
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

/// Finds them: in training as in drafting. Allocates nothing but for the first row.
class RowFeatureReader {
 public:
  /// @param sums  of a row, with its largest logits, RowFeatures::kTop or all: as of `make_feature_chooser`
  RowFeatures of(const engine::RowAnswer& sums);

 private:
  sampling::RowScores scores_;
};

/// A chooser that keeps as many logits of a row as its features need.
/// @param ahead  as of sampling::make_draft_chooser
std::unique_ptr<sampling::Chooser> make_feature_chooser(engine::Engine& draft,
                                                        sampling::HeadVocabulary vocabulary,
                                                        bool ahead = false);

}  // namespace outrider::draft
