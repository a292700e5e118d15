#pragma once

#include <utility>

/// For what has to become part of the function that calls it, however large that gets.
#define OUTRIDER_INLINE __attribute__((always_inline))

namespace outrider::engine::cpu {

/// Calls visit(0) … visit(N - 1), each call written out: compilers unroll loops too late, or not at
/// all, to keep arrays indexed by them in registers. `visit` is to be OUTRIDER_INLINE.
template <int N, class Visit>
OUTRIDER_INLINE inline void unrolled(const Visit& visit) {
  [&]<int... I>(std::integer_sequence<int, I...>) OUTRIDER_INLINE { (visit(I), ...); }
  (std::make_integer_sequence<int, N>{});
}

}  // namespace outrider::engine::cpu
