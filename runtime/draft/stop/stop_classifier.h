#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/draft/stop/row_features.h"

namespace outrider::draft {

/// DISCO's classifier (Mamou et al. 2024, section 3): C_i = FFN(Concat(Top_k(y_i), Ent(y_i), i)), the
/// probability that a drafted token will be accepted, by a network of one hidden layer.
struct StopClassifier {
  static constexpr int kInputs = RowFeatures::kTop + 2;
  static constexpr int kHidden = 32;
  using Inputs = std::array<float, kInputs>;

  float position_scale = 1;                         // tokens that count as 1
  std::array<float, kHidden* kInputs> hidden = {};  // [hidden, inputs]
  std::array<float, kHidden> hidden_bias = {};
  std::array<float, kHidden> output = {};
  float output_bias = 0;

  /// What the network reads: the probabilities, the entropy and the position. Shared with training.
  /// @param index  of the token in the generated text, from 0
  static Inputs inputs_of(const RowFeatures& row, std::int64_t index, float position_scale);

  /// C_i before the logistic function.
  double logit(const Inputs& inputs) const;
  double probability(const RowFeatures& row, std::int64_t index) const;
};

/// 1 / (1 + e^-x)
double logistic(double x);

}  // namespace outrider::draft
