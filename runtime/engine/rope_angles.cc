#include "runtime/engine/rope_angles.h"

#include "runtime/base/math.h"

namespace outrider::engine {

RopeAngles::RopeAngles(float base, int head_width, const std::vector<float>& divisors) {
  const double log_base = math::log(static_cast<double>(base));
  for (int i = 0; i < head_width; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(head_width);
    const float power = static_cast<float>(math::exp(static_cast<double>(exponent) * log_base));
    inverse_frequencies_.push_back(1.0f / power);
  }
  for (std::size_t i = 0; i < divisors.size(); ++i) inverse_frequencies_[i] /= divisors[i];
}

void RopeAngles::write(int position, float* out) const {
  const std::size_t half = inverse_frequencies_.size();
  for (std::size_t i = 0; i < half; ++i) {
    const double angle = static_cast<float>(position) * inverse_frequencies_[i];
    out[i] = static_cast<float>(math::cos(angle));
    out[half + i] = static_cast<float>(math::sin(angle));
  }
}

}  // namespace outrider::engine
