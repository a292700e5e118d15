#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "runtime/base/portable.h"

namespace outrider::engine::cpu {

/// One float with the operations of sixteen that functions of single numbers need: a thread of a GPU has one where
/// a processor has sixteen.
struct OneNumber {
  float v;

  OUTRIDER_HD static OneNumber broadcast(float x) { return {x}; }
  OUTRIDER_HD static OneNumber zero() { return {0.0f}; }
  OUTRIDER_HD friend OneNumber operator+(OneNumber a, OneNumber b) { return {a.v + b.v}; }
  OUTRIDER_HD friend OneNumber operator-(OneNumber a, OneNumber b) { return {a.v - b.v}; }
  OUTRIDER_HD friend OneNumber operator*(OneNumber a, OneNumber b) { return {a.v * b.v}; }
  OUTRIDER_HD friend OneNumber operator/(OneNumber a, OneNumber b) { return {a.v / b.v}; }
  /// a * b + c, rounded once.
  OUTRIDER_HD static OneNumber fma(OneNumber a, OneNumber b, OneNumber c) {
    return {fmaf(a.v, b.v, c.v)};
  }
  /// The larger; b where they are equal.
  OUTRIDER_HD static OneNumber max(OneNumber a, OneNumber b) { return {a.v > b.v ? a.v : b.v}; }
  OUTRIDER_HD static OneNumber min(OneNumber a, OneNumber b) { return {a.v < b.v ? a.v : b.v}; }
  /// As of sixteen: 2^n when the low bits of a hold n.
  OUTRIDER_HD static OneNumber power_of_two(OneNumber a) {
    return {std::bit_cast<float>((std::bit_cast<std::uint32_t>(a.v) << 23) + 0x3f800000u)};
  }
};

}  // namespace outrider::engine::cpu
