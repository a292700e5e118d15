#include "runtime/sampling/arg_max.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace outrider::sampling {
namespace {

template <typename Float>
Token first_of_the_largest(std::span<const Float> logits) {
  // Sixteen running maxima, so that the compiler keeps them in vector registers.
  constexpr std::size_t kLanes = 16;
  Float most[kLanes];
  int nans[kLanes] = {};
  std::fill(most, most + kLanes, -std::numeric_limits<Float>::infinity());
  const auto take = [&](Float number, std::size_t lane) {
    most[lane] = number > most[lane] ? number : most[lane];
    nans[lane] |= number != number;
  };
  std::size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) take(logits[i + lane], lane);
  for (; i < logits.size(); ++i) take(logits[i], 0);
  if (std::any_of(nans, nans + kLanes, [](int nan) { return nan != 0; }))
    throw std::logic_error("arg_max: a logit is NaN");
  const Float largest = *std::max_element(most, most + kLanes);
  if (std::isinf(largest)) throw std::logic_error("arg_max: the largest logit is infinite");
  return static_cast<Token>(std::find(logits.begin(), logits.end(), largest) - logits.begin());
}

}  // namespace

Token arg_max(std::span<const float> logits) { return first_of_the_largest(logits); }
Token arg_max(std::span<const double> logits) { return first_of_the_largest(logits); }

}  // namespace outrider::sampling
