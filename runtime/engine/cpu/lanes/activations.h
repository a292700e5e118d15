#pragma once

#include "runtime/base/portable.h"
#include "runtime/engine/cpu/lanes/exp.h"

namespace outrider::engine::cpu {

// Functions of single numbers, sixteen at a time or one (OneNumber): a GPU computes the same text.

template <class L>
OUTRIDER_HD L magnitudes(L x) {
  return L::max(x, L::zero() - x);
}

template <class L>
OUTRIDER_HD L relu(L x) {
  return L::max(x, L::zero());
}

/// gate / (1 + exp(-gate)) * up.
template <class L>
OUTRIDER_HD L silu_times(L gate, L up) {
  const L one = L::broadcast(1.0f);
  const L sigmoid = one / (one + exp(L::zero() - gate));
  return gate * sigmoid * up;
}

/// g / (1 + exp(-sharpness g)) * (u + 1) with g = min(gate, limit) and u = up within [-limit, limit].
template <class L>
OUTRIDER_HD L clamped_times(L gate, L up, L sharpness, L limit) {
  const L one = L::broadcast(1.0f);
  const L g = L::min(gate, limit);
  const L u = L::max(L::min(up, limit), L::zero() - limit);
  const L sigmoid = one / (one + exp(L::zero() - sharpness * g));
  return g * sigmoid * (u + one);
}

/// Uses (1 + tanh u) / 2 = 1 / (1 + e^-2u).
template <class L>
OUTRIDER_HD L gelu_tanh(L v) {
  const L one = L::broadcast(1.0f);
  const L minus_2u = v * L::broadcast(-1.5957691216f) *  // -2 sqrt(2 / pi)
                     L::fma(L::broadcast(0.044715f), v * v, one);
  return v / (one + exp(minus_2u));
}

template <class L>
OUTRIDER_HD L gelu_times(L gate, L up) {
  return gelu_tanh(gate) * up;
}

/// cap * tanh(x / cap).
template <class L>
OUTRIDER_HD L soft_cap(L x, L cap) {
  return cap * tanh(x / cap);
}

/// erfc(a) for a >= 0, within 2e-7 of its value (and of 1 where it vanishes): t e^(p(t) - a^2) with
/// t = 1 / (1 + a / 2) and p a polynomial fitted to erfc (Numerical Recipes in C, section 6.2).
template <class L>
OUTRIDER_HD L erfc_of_positive(L a) {
  const L one = L::broadcast(1.0f);
  const L t = one / L::fma(L::broadcast(0.5f), a, one);
  L p = L::broadcast(0.17087277f);
  p = L::fma(p, t, L::broadcast(-0.82215223f));
  p = L::fma(p, t, L::broadcast(1.48851587f));
  p = L::fma(p, t, L::broadcast(-1.13520398f));
  p = L::fma(p, t, L::broadcast(0.27886807f));
  p = L::fma(p, t, L::broadcast(-0.18628806f));
  p = L::fma(p, t, L::broadcast(0.09678418f));
  p = L::fma(p, t, L::broadcast(0.37409196f));
  p = L::fma(p, t, L::broadcast(1.00002368f));
  p = L::fma(p, t, L::broadcast(-1.26551223f));
  return t * exp(p - a * a);
}

/// GELU with the error function: x (1 + erf(x / sqrt 2)) / 2 = max(x, 0) - |x| erfc(|x| / sqrt 2) /
/// 2.
template <class L>
OUTRIDER_HD L gelu_erf(L v) {
  const L size = magnitudes(v);
  const L tail = erfc_of_positive(size * L::broadcast(0.70710678f));
  return relu(v) - L::broadcast(0.5f) * size * tail;
}

}  // namespace outrider::engine::cpu
