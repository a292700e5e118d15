#pragma once

#include <vector>

namespace outrider::model {

/// YaRN's extension of a context: frequencies with less than `beta_slow` turns in the original context are divided
/// by `factor`, those with more than `beta_fast` are kept, and between them a ramp over their index interpolates.
/// Peng et al. 2023, section 3, https://arxiv.org/abs/2309.00071
struct Yarn {
  double factor;
  double original_context;  // tokens of the original training
  double beta_fast = 32;
  double beta_slow = 1;
  bool truncate = true;  // the ramp's ends are whole indices
};

/// [width / 2] as ModelConfig::rope_divisors.
/// @param base  of the rotary frequencies, above 1
std::vector<float> yarn_divisors(const Yarn& yarn, double base, int width);

/// The extended context, in tokens.
int yarn_context(const Yarn& yarn);

/// The factor of cosines and sines that the paper recommends.
double yarn_scale(double factor);

}  // namespace outrider::model
