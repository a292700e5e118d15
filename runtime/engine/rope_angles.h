#pragma once

#include <vector>

namespace outrider::engine {

/// Cosines and sines of the rotary embedding, formed as transformers forms them: inverse frequency
/// 1 / base^(2 i / width) and its product with the position both rounded to float.
class RopeAngles {
 public:
  /// @param divisors  [head_width / 2] of the frequencies, or none
  RopeAngles(float base, int head_width, const std::vector<float>& divisors);

  /// Writes [head_width / 2] cosines, then [head_width / 2] sines.
  void write(int position, float* out) const;

 private:
  std::vector<float> inverse_frequencies_;  // [head_width / 2]
};

}  // namespace outrider::engine
