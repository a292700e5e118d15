#include "runtime/model/yarn.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "runtime/base/math.h"
#include "runtime/model/config.h"

namespace outrider::model {
namespace {

/// The index of the frequency that makes so many turns in the original context.
double index_of_turns(double turns, const Yarn& yarn, double base, int width) {
  return width * math::log(yarn.original_context / (turns * 2 * std::numbers::pi)) /
         (2 * math::log(base));
}

}  // namespace

std::vector<float> yarn_divisors(const Yarn& yarn, double base, int width) {
  double low = index_of_turns(yarn.beta_fast, yarn, base, width);
  double high = index_of_turns(yarn.beta_slow, yarn, base, width);
  if (yarn.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(width - 1));
  if (low == high) high += 0.001;  // as transformers does
  std::vector<float> divisors;
  for (int i = 0; i < width / 2; ++i) {
    const double divided = std::clamp((i - low) / (high - low), 0.0, 1.0);
    divisors.push_back(static_cast<float>(1 / (divided / yarn.factor + (1 - divided))));
  }
  return divisors;
}

int yarn_context(const Yarn& yarn) {
  return static_cast<int>(
      std::min(yarn.original_context * yarn.factor, static_cast<double>(limits::kContext)));
}

double yarn_scale(double factor) { return factor <= 1 ? 1 : 0.1 * math::log(factor) + 1; }

}  // namespace outrider::model
