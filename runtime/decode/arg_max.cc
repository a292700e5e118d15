#include "runtime/decode/arg_max.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace outrider::decode {

Token arg_max(std::span<const float> logits) {
  // Sixteen running maxima, so that the compiler keeps them in vector registers.
  constexpr std::size_t kLanes = 16;
  float most[kLanes];
  std::fill(most, most + kLanes, -std::numeric_limits<float>::infinity());
  std::size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes)
    for (std::size_t j = 0; j < kLanes; ++j)
      most[j] = logits[i + j] > most[j] ? logits[i + j] : most[j];
  float largest = *std::max_element(most, most + kLanes);
  for (; i < logits.size(); ++i) largest = std::max(largest, logits[i]);
  const auto first = std::find(logits.begin(), logits.end(), largest);
  if (first == logits.end()) throw std::logic_error("arg_max: every logit is NaN");
  return static_cast<Token>(first - logits.begin());
}

}  // namespace outrider::decode
