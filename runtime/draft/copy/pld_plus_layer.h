#pragma once

#include <string>
#include <vector>

#include "runtime/draft/copy/pld_plus_lengths.h"

namespace outrider::draft {

/// Upper limit, far above useful weights: at such a weight the cosine has no effect.
inline constexpr double kMostLogitWeight = 100;

/// The layer whose hidden states rank sources best, and the curves it was chosen from, in tokens per pass.
struct PldPlusLayer {
  std::vector<double> by_layer;  // [layers + 1], from the embedding on, at `draft_length` tokens
  int draft_length = 0;
  int chosen = 0;  // layer
  /// [m] with states of the chosen layer averaged over the last 1, 2, … positions; the drafter uses the
  /// last one only.
  std::vector<double> by_mean;
  /// Weights of logits added to the chosen layer's cosine (add_logits).
  std::vector<double> logit_weights;
  std::vector<double> by_logit_weight;     // with each of them
  std::vector<double> by_logit_weight_at;  // [temperatures, weights]
  double logit_weight = 0;                 // the chosen one
  /// With the chosen layer and weight, by temperature of the answers, ascending.
  std::vector<PldPlusTemperature> temperatures;
  std::vector<double> by_layer_at;  // [temperatures, layers + 1] as `by_layer`

  /// The hash of the chosen layer and weight: what trials of PLD+ (h) are of.
  std::string choice() const;
};

}  // namespace outrider::draft
