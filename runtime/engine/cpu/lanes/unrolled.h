#pragma once

#include <utility>

/// Marks functions that must be inlined, however large the caller gets.
#define OUTRIDER_INLINE __attribute__((always_inline))

namespace outrider::engine::cpu {

/// Calls visit(0) … visit(N - 1) without a loop: compilers unroll loops too late, or not at all, to
/// keep arrays indexed by the counter in registers. `visit` must be OUTRIDER_INLINE.
template <int N, class Visit>
OUTRIDER_INLINE inline void unrolled(const Visit& visit) {
  [&]<int... I>(std::integer_sequence<int, I...>) OUTRIDER_INLINE { (visit(I), ...); }
  (std::make_integer_sequence<int, N>{});
}

}  // namespace outrider::engine::cpu
