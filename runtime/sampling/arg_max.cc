#include "runtime/sampling/arg_max.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace outrider::sampling {
namespace {

/// The largest number; -infinity of none.
/// @throws std::logic_error if one is NaN
template <typename Float>
Float largest(std::span<const Float> numbers) {
  // As many running maxima as fill half of the vector registers.
  constexpr std::size_t kLanes = 128 / sizeof(Float);
  Float most[kLanes];
  Float differences[kLanes] = {};  // of each number from itself: 0 while all are finite
  std::fill(most, most + kLanes, -std::numeric_limits<Float>::infinity());
  const auto take = [&](Float number, std::size_t lane) {
    most[lane] = number > most[lane] ? number : most[lane];
    differences[lane] += number - number;
  };
  std::size_t i = 0;
  for (; i + kLanes <= numbers.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) take(numbers[i + lane], lane);
  for (; i < numbers.size(); ++i) take(numbers[i], 0);
  const bool all_finite =
      std::all_of(differences, differences + kLanes, [](Float d) { return d == 0; });
  if (!all_finite &&
      std::any_of(numbers.begin(), numbers.end(), [](Float number) { return std::isnan(number); }))
    throw std::logic_error("arg_max: a logit is NaN");
  return *std::max_element(most, most + kLanes);
}

template <typename Float>
Token first_of_the_largest(std::span<const Float> logits) {
  // By parts, so that only one has to be looked through for the place.
  constexpr std::size_t kPart = 1024;
  Float most = -std::numeric_limits<Float>::infinity();
  std::span<const Float> part;
  for (std::size_t begin = 0; begin < logits.size(); begin += kPart) {
    const auto here = logits.subspan(begin, std::min(kPart, logits.size() - begin));
    const Float one = largest(here);
    if (one <= most) continue;
    most = one;
    part = here;
  }
  if (std::isinf(most)) throw std::logic_error("arg_max: the largest logit is infinite");
  const auto place = std::find(part.begin(), part.end(), most) - part.begin();
  return static_cast<Token>(part.data() - logits.data() + place);
}

}  // namespace

Token arg_max(std::span<const float> logits) { return first_of_the_largest(logits); }
Token arg_max(std::span<const double> logits) { return first_of_the_largest(logits); }
float largest_of(std::span<const float> logits) { return largest(logits); }

}  // namespace outrider::sampling
