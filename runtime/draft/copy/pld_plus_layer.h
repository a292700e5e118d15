#pragma once

#include <vector>

#include "runtime/draft/copy/pld_plus_settings.h"

namespace outrider::draft {

/// Far more than helps: any such weight leaves nothing of the cosine.
inline constexpr double kMostLogitWeight = 100;

/// The layer whose hidden states show best where to copy from, and the curves it was chosen from; all
/// in tokens per pass.
struct PldPlusLayer {
  std::vector<double> by_layer;  // [layers + 1], from the embedding on, at `draft_length` tokens
  int draft_length = 0;
  int chosen = 0;  // layer
  /// [m] with states of the chosen layer averaged over the last 1, 2, … positions; the drafter takes
  /// the last one's. Empty in older files.
  std::vector<double> by_mean;
  /// Weights of a logit beside the chosen layer's cosine: see add_logits. Empty in older files,
  /// whose drafters take none.
  std::vector<double> logit_weights;
  std::vector<double> by_logit_weight;     // with each of them
  std::vector<double> by_logit_weight_at;  // [settings, weights]
  double logit_weight = 0;                 // the chosen one
  /// With the chosen layer's states and the chosen weight, by the temperature of the answers.
  std::vector<PldPlusSettings> settings;
  std::vector<double> by_layer_at;  // [settings, layers + 1] as `by_layer`; empty in older files
};

}  // namespace outrider::draft
