#pragma once

#include "runtime/base/portable.h"

namespace outrider::engine::cpu {

/// e^x of sixteen floats, or one, within 2 ulp on [-87, 88]; outside, the value at the nearer end. The C
/// library's exp is not used because its bits differ between CPUs.
///
/// x = n ln 2 + r with |r| <= ln 2 / 2; e^r by its Taylor polynomial of degree 7; times 2^n.
template <class L>
OUTRIDER_HD L exp(L x) {
  x = L::min(L::max(x, L::broadcast(-87.0f)), L::broadcast(88.0f));
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  const L magic = L::broadcast(12582912.0f);
  const L shifted = L::fma(x, L::broadcast(1.44269504f), magic);
  const L n = shifted - magic;
  // ln 2 in two parts; the first has few enough bits for n * ln2_high to be exact.
  L r = L::fma(n, L::broadcast(-0.693145752f), x);
  r = L::fma(n, L::broadcast(-1.42860677e-6f), r);
  L p = L::broadcast(1.0f / 5040.0f);
  p = L::fma(p, r, L::broadcast(1.0f / 720.0f));
  p = L::fma(p, r, L::broadcast(1.0f / 120.0f));
  p = L::fma(p, r, L::broadcast(1.0f / 24.0f));
  p = L::fma(p, r, L::broadcast(1.0f / 6.0f));
  p = L::fma(p, r, L::broadcast(0.5f));
  p = L::fma(p, r, L::broadcast(1.0f));
  p = L::fma(p, r, L::broadcast(1.0f));
  return p * L::power_of_two(shifted);
}

}  // namespace outrider::engine::cpu
