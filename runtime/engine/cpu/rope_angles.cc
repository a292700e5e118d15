#include "runtime/engine/cpu/rope_angles.h"

#include "runtime/base/math.h"

namespace outrider::engine::cpu {

RopeAngles::RopeAngles(float base, int rotary_width) : scale_(1) {
  const double log_base = math::log(static_cast<double>(base));
  for (int i = 0; i < rotary_width; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(rotary_width);
    const float power = static_cast<float>(math::exp(static_cast<double>(exponent) * log_base));
    inverse_frequencies_.push_back(1.0f / power);
  }
}

RopeAngles::RopeAngles(const model::ModelConfig& config)
    : RopeAngles(config.rope_base, config.rotary_width) {
  scale_ = config.rope_scale;
  for (std::size_t i = 0; i < config.rope_divisors.size(); ++i)
    inverse_frequencies_[i] /= config.rope_divisors[i];
}

void RopeAngles::write(int position, float* out) const {
  const std::size_t half = inverse_frequencies_.size();
  for (std::size_t i = 0; i < half; ++i) {
    const double angle = static_cast<float>(position) * inverse_frequencies_[i];
    out[i] = static_cast<float>(math::cos(angle)) * scale_;
    out[half + i] = static_cast<float>(math::sin(angle)) * scale_;
  }
}

}  // namespace outrider::engine::cpu
