#pragma once

#include <cmath>

#include "runtime/engine/lanes/exp.h"

namespace outrider::engine {

// What happens to one row alone. Each reduction adds element i into lane i mod 16 and then the
// lanes in one fixed tree, so the bits do not depend on the instruction set.

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
void rope(float* head, const float* angles, int width, float scale) {
  const int half = width / 2;
  const L factor = L::broadcast(scale);
  for (int i = 0; i < half; i += 16) {
    const L cosine = L::load(angles + i);
    const L sine = L::load(angles + half + i);
    const L low = L::load(head + i);
    const L high = L::load(head + half + i);
    ((low * cosine - high * sine) * factor).store(head + i);
    ((high * cosine + low * sine) * factor).store(head + half + i);
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

}  // namespace outrider::engine
