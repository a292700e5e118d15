#pragma once

#include <algorithm>
#include <cmath>

#include "runtime/engine/cpu/lanes/activations.h"

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
  for (int i = 0; i < n; i += 16) relu(L::load(x + i)).store(x + i);
}

template <class L>
void gelu_tanh(float* x, int n) {
  for (int i = 0; i < n; i += 16) gelu_tanh(L::load(x + i)).store(x + i);
}

template <class L>
void gelu_erf(float* x, int n) {
  for (int i = 0; i < n; i += 16) gelu_erf(L::load(x + i)).store(x + i);
}

template <class L>
void gelu_times(float* gate, const float* up, int n) {
  for (int i = 0; i < n; i += 16) gelu_times(L::load(gate + i), L::load(up + i)).store(gate + i);
}

template <class L>
void soft_cap(float* x, int n, float cap) {
  const L bound = L::broadcast(cap);
  for (int i = 0; i < n; i += 16) soft_cap(L::load(x + i), bound).store(x + i);
}

template <class L>
void silu_times(float* gate, const float* up, int n) {
  for (int i = 0; i < n; i += 16) silu_times(L::load(gate + i), L::load(up + i)).store(gate + i);
}

template <class L>
void clamped_times(float* gate, const float* up, int n, float sharpness, float limit) {
  const L sharp = L::broadcast(sharpness);
  const L bound = L::broadcast(limit);
  for (int i = 0; i < n; i += 16)
    clamped_times(L::load(gate + i), L::load(up + i), sharp, bound).store(gate + i);
}

}  // namespace outrider::engine::cpu
