#pragma once

#include "runtime/base/portable.h"

namespace outrider::engine::cpu {

/// A number x as n ln 2 + r with a whole n and |r| <= ln 2 / 2.
template <class L>
struct ReducedExponent {
  L r;
  L power;  // 2^n
};

/// @param x  of a magnitude of at most 88
template <class L>
OUTRIDER_HD ReducedExponent<L> reduce_exponent(L x) {
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  const L magic = L::broadcast(12582912.0f);
  const L shifted = L::fma(x, L::broadcast(1.44269504f), magic);
  const L n = shifted - magic;
  // ln 2 in two parts; the first has few enough bits for n * ln2_high to be exact.
  L r = L::fma(n, L::broadcast(-0.693145752f), x);
  r = L::fma(n, L::broadcast(-1.42860677e-6f), r);
  return {r, L::power_of_two(shifted)};
}

/// (e^r - 1) / r by the Taylor polynomial of e^r of degree 7.
template <class L>
OUTRIDER_HD L exp_slope(L r) {
  L p = L::broadcast(1.0f / 5040.0f);
  p = L::fma(p, r, L::broadcast(1.0f / 720.0f));
  p = L::fma(p, r, L::broadcast(1.0f / 120.0f));
  p = L::fma(p, r, L::broadcast(1.0f / 24.0f));
  p = L::fma(p, r, L::broadcast(1.0f / 6.0f));
  p = L::fma(p, r, L::broadcast(0.5f));
  return L::fma(p, r, L::broadcast(1.0f));
}

/// e^x of sixteen floats, or one, within 2 ulp on [-87, 88]; outside, the value at the nearer end. The C
/// library's exp is not used because its bits differ between CPUs.
///
/// With x = n ln 2 + r: e^r by its Taylor polynomial of degree 7, times 2^n.
template <class L>
OUTRIDER_HD L exp(L x) {
  x = L::min(L::max(x, L::broadcast(-87.0f)), L::broadcast(88.0f));
  const ReducedExponent<L> reduced = reduce_exponent(x);
  return L::fma(exp_slope(reduced.r), reduced.r, L::broadcast(1.0f)) * reduced.power;
}

/// The hyperbolic tangent of sixteen floats, or one, within 3 ulp: m / (m + 2) with m = e^2x - 1, which is computed
/// without the loss of digits that a difference of e^2x and 1 near zero would have.
template <class L>
OUTRIDER_HD L tanh(L x) {
  const L doubled = L::min(L::max(x + x, L::broadcast(-20.0f)), L::broadcast(20.0f));
  const ReducedExponent<L> reduced = reduce_exponent(doubled);
  const L m =
      L::fma(reduced.power, exp_slope(reduced.r) * reduced.r, reduced.power - L::broadcast(1.0f));
  return m / (m + L::broadcast(2.0f));
}

}  // namespace outrider::engine::cpu
