#pragma once

#include <algorithm>
#include <cmath>

#include "runtime/engine/cpu/lanes/exp.h"

namespace outrider::engine::cpu {

// Operations on one row alone. Each reduction adds element i into lane i mod 16 and then the lanes
// in one fixed tree, so the bits do not depend on the instruction set.

template <class L>
void rms_norm(const float* x, const float* weight, int n, float epsilon, float* out) {
  L squares = L::zero();
  for (int i = 0; i < n; i += 16) {
    const L v = L::load(x + i);
    squares = L::fma(v, v, squares);
  }
  const float mean = squares.sum() / static_cast<float>(n);
  const L scale = L::broadcast(1.0f / std::sqrt(mean + epsilon));
  for (int i = 0; i < n; i += 16) (L::load(x + i) * scale * L::load(weight + i)).store(out + i);
}

template <class L>
void layer_norm(const float* x, const float* weight, const float* bias, int n, float epsilon,
                float* out) {
  const float count = static_cast<float>(n);
  L total = L::zero();
  for (int i = 0; i < n; i += 16) total = total + L::load(x + i);
  const L mean = L::broadcast(total.sum() / count);
  L squares = L::zero();
  for (int i = 0; i < n; i += 16) {
    const L v = L::load(x + i) - mean;
    squares = L::fma(v, v, squares);
  }
  const L scale = L::broadcast(1.0f / std::sqrt(squares.sum() / count + epsilon));
  for (int i = 0; i < n; i += 16)
    L::fma((L::load(x + i) - mean) * scale, L::load(weight + i), L::load(bias + i)).store(out + i);
}

/// Rotates sixteen pairs (low, high) in place and multiplies them by `factor`.
template <class L>
void rotate_sixteen(float* low, float* high, const float* cosines, const float* sines, L factor) {
  const L cosine = L::load(cosines);
  const L sine = L::load(sines);
  const L x = L::load(low);
  const L y = L::load(high);
  ((x * cosine - y * sine) * factor).store(low);
  ((y * cosine + x * sine) * factor).store(high);
}

template <class L>
void rope(float* head, const float* angles, int width, float scale) {
  const int half = width / 2;
  const L factor = L::broadcast(scale);
  int i = 0;
  for (; i + 16 <= half; i += 16)
    rotate_sixteen(head + i, head + half + i, angles + i, angles + half + i, factor);
  const int rest = half - i;
  if (rest == 0) return;
  // Sixteen of the last pairs would reach into their own second half.
  float low[16] = {}, high[16] = {}, cosines[16] = {}, sines[16] = {};
  std::copy_n(head + i, rest, low);
  std::copy_n(head + half + i, rest, high);
  std::copy_n(angles + i, rest, cosines);
  std::copy_n(angles + half + i, rest, sines);
  rotate_sixteen(low, high, cosines, sines, factor);
  std::copy_n(low, rest, head + i);
  std::copy_n(high, rest, head + half + i);
}

template <class L>
void relu(float* x, int n) {
  for (int i = 0; i < n; i += 16) L::max(L::load(x + i), L::zero()).store(x + i);
}

/// Uses (1 + tanh u) / 2 = 1 / (1 + e^-2u).
template <class L>
void gelu_tanh(float* x, int n) {
  const L one = L::broadcast(1.0f);
  const L cubic = L::broadcast(0.044715f);
  const L factor = L::broadcast(-1.5957691216f);  // -2 sqrt(2 / pi)
  for (int i = 0; i < n; i += 16) {
    const L v = L::load(x + i);
    const L minus_2u = v * factor * L::fma(cubic, v * v, one);
    (v / (one + exp(minus_2u))).store(x + i);
  }
}

/// erfc(a) for a >= 0, within 2e-7 of its value (and of 1 where it vanishes): t e^(p(t) - a^2) with
/// t = 1 / (1 + a / 2) and p a polynomial fitted to erfc (Numerical Recipes in C, section 6.2).
template <class L>
L erfc_of_positive(L a) {
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
void gelu_erf(float* x, int n) {
  for (int i = 0; i < n; i += 16) {
    const L v = L::load(x + i);
    const L size = L::max(v, L::zero() - v);
    const L tail = erfc_of_positive(size * L::broadcast(0.70710678f));
    (L::max(v, L::zero()) - L::broadcast(0.5f) * size * tail).store(x + i);
  }
}

template <class L>
void silu_times(float* gate, const float* up, int n) {
  const L one = L::broadcast(1.0f);
  for (int i = 0; i < n; i += 16) {
    const L g = L::load(gate + i);
    const L sigmoid = one / (one + exp(L::zero() - g));
    (g * sigmoid * L::load(up + i)).store(gate + i);
  }
}

}  // namespace outrider::engine::cpu
