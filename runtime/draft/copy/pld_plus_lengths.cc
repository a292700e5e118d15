#include "runtime/draft/copy/pld_plus_lengths.h"

#include <algorithm>

namespace outrider::draft {
namespace {

template <typename T>
std::size_t bounds_not_above(const std::vector<T>& bounds, T number) {
  return static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), number) -
                                  bounds.begin());
}

}  // namespace

std::size_t PldPlusLengths::class_of(float score, int matching) const {
  return bounds_not_above(score_bounds, score) * (match_bounds.size() + 1) +
         bounds_not_above(match_bounds, matching);
}

double PldPlusLengths::gain() const {
  return fixed_tokens_per_second > 0 ? std::max(1.0, tokens_per_second / fixed_tokens_per_second)
                                     : 1;
}

}  // namespace outrider::draft
