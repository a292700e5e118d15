#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "runtime/base/bfloat16.h"
#include "runtime/base/half.h"

namespace outrider::engine::cpu::scalar {

/// Sixteen floats that are computed together, written to be read: the specification that the vector
/// versions must match bit for bit.
struct Lanes {
  /// The number of sums of attention that fit the registers together with their operands.
  static constexpr int kSums = 6;

  float v[16];

  static Lanes broadcast(float x) {
    Lanes r;
    for (float& lane : r.v) lane = x;
    return r;
  }
  static Lanes broadcast(Half x) { return broadcast(half_to_float(x)); }
  static Lanes zero() { return broadcast(0.0f); }
  static Lanes load(const float* p) {
    Lanes r;
    for (int i = 0; i < 16; ++i) r.v[i] = p[i];
    return r;
  }
  static Lanes load(const Half* p) {
    Lanes r;
    for (int i = 0; i < 16; ++i) r.v[i] = half_to_float(p[i]);
    return r;
  }
  static Lanes load(const Bfloat16* p) {
    return map([&](int i) { return bfloat16_to_float(p[i]); });
  }
  static Lanes from_bytes(const std::uint8_t* p) {
    return map([&](int i) { return static_cast<float>(p[i]); });
  }
  static Lanes from_bytes(const std::int8_t* p) {
    return map([&](int i) { return static_cast<float>(p[i]); });
  }
  void store(float* p) const {
    for (int i = 0; i < 16; ++i) p[i] = v[i];
  }
  void store(Half* p) const {
    for (int i = 0; i < 16; ++i) p[i] = float_to_half(v[i]);
  }

  template <typename F>
  static Lanes map(F f) {
    Lanes r;
    for (int i = 0; i < 16; ++i) r.v[i] = f(i);
    return r;
  }
  friend Lanes operator+(const Lanes& a, const Lanes& b) {
    return map([&](int i) { return a.v[i] + b.v[i]; });
  }
  friend Lanes operator-(const Lanes& a, const Lanes& b) {
    return map([&](int i) { return a.v[i] - b.v[i]; });
  }
  friend Lanes operator*(const Lanes& a, const Lanes& b) {
    return map([&](int i) { return a.v[i] * b.v[i]; });
  }
  friend Lanes operator/(const Lanes& a, const Lanes& b) {
    return map([&](int i) { return a.v[i] / b.v[i]; });
  }
  /// a * b + c, rounded once.
  static Lanes fma(const Lanes& a, const Lanes& b, const Lanes& c) {
    return map([&](int i) { return std::fma(a.v[i], b.v[i], c.v[i]); });
  }
  /// The larger of each pair; b where they are equal (as the vector instructions do).
  static Lanes max(const Lanes& a, const Lanes& b) {
    return map([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
  }
  static Lanes min(const Lanes& a, const Lanes& b) {
    return map([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
  }
  /// The float whose bits are (bits(a) << 23) + bits(1.0f): 2^n when the low bits of a hold n.
  static Lanes power_of_two(const Lanes& a) {
    return map([&](int i) {
      return std::bit_cast<float>((std::bit_cast<std::uint32_t>(a.v[i]) << 23) + 0x3f800000u);
    });
  }

  /// Lane i + lane i+8, then i + i+4, i + i+2, 0 + 1: one tree for every instruction set.
  float sum() const {
    float s[8];
    for (int i = 0; i < 8; ++i) s[i] = v[i] + v[i + 8];
    for (int i = 0; i < 4; ++i) s[i] = s[i] + s[i + 4];
    return (s[0] + s[2]) + (s[1] + s[3]);
  }
  float largest() const {
    float m = v[0];
    for (int i = 1; i < 16; ++i) m = v[i] > m ? v[i] : m;
    return m;
  }
};

}  // namespace outrider::engine::cpu::scalar
