#pragma once

#include <vector>

#include "runtime/model/config.h"

namespace outrider::engine::cpu {

/// Cosines and sines of the rotary embedding, computed as in transformers: the inverse frequency 1
/// / base^(2 i / width) and its product with the position are both rounded to float.
class RopeAngles {
 public:
  explicit RopeAngles(const model::ModelConfig& config);
  /// Of a base alone, without divisors and scale.
  RopeAngles(float base, int rotary_width);

  /// Writes [rotary_width / 2] cosines, then [rotary_width / 2] sines, times the model's scale.
  void write(int position, float* out) const;

 private:
  std::vector<float> inverse_frequencies_;  // [rotary_width / 2]
  float scale_;
};

}  // namespace outrider::engine::cpu
