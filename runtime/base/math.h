#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "runtime/base/portable.h"

namespace outrider::math {

// Our own elementary functions in double precision: the bits of the C library's depend on the CPU,
// which must not reach the generated text. Additions, multiplications, divisions and bit operations
// only. Measured errors are below 1.1 ulp; 2 are guaranteed.

namespace parts {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Adding it rounds a double of moderate size to an integer, ties to even; the sum's low bits are
// that integer in two's complement.
inline constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52

// ln 2 and pi / 2 in parts; products with a small integer are exact, except of the last part.
inline constexpr double kLn2High = 0x1.62e42fee00000p-1;
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
inline constexpr double kHalfPi1 = 0x1.921fb54400000p+0;
inline constexpr double kHalfPi2 = 0x1.0b4611a600000p-34;
inline constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;

// Range in which e^x is a normal number.
inline constexpr double kExpLowest = -708.0;
inline constexpr double kExpHighest = 709.0;

// 2^scale e^x, if that is a normal number: 2^(scale + n) e^r with x = n ln 2 + r, |r| <= ln 2 / 2.
// No branches, so that a loop of it becomes vector instructions.
OUTRIDER_HD constexpr double scaled_exp(double x, std::int64_t scale) {
  const double shifted = x * 0x1.71547652b82fep+0 + kRounder;
  const double n = shifted - kRounder;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  const double power = 1.0 + (r + r * r * p);
  const std::uint64_t exponent =
      std::bit_cast<std::uint64_t>(shifted) + static_cast<std::uint64_t>(scale);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(power) + (exponent << 52));
}

/// A number as an unevaluated sum: `high` is the nearest double, `low` the remainder.
struct Sum {
  double high;
  double low;
};

OUTRIDER_HD constexpr Sum exact_sum(double a, double b) {
  const double high = a + b;
  const double b_taken = high - a;
  return {high, (a - (high - b_taken)) + (b - b_taken)};
}

OUTRIDER_HD constexpr double sin_near_zero(Sum r) {
  const double s = r.high * r.high;
  double p = 1.0 / 355687428096000.0;
  p = p * s - 1.0 / 1307674368000.0;
  p = p * s + 1.0 / 6227020800.0;
  p = p * s - 1.0 / 39916800.0;
  p = p * s + 1.0 / 362880.0;
  p = p * s - 1.0 / 5040.0;
  p = p * s + 1.0 / 120.0;
  p = p * s - 1.0 / 6.0;
  return r.high + (r.high * (s * p) + r.low * (1.0 - 0.5 * s));
}

OUTRIDER_HD constexpr double cos_near_zero(Sum r) {
  const double s = r.high * r.high;
  double p = 1.0 / 20922789888000.0;
  p = p * s - 1.0 / 87178291200.0;
  p = p * s + 1.0 / 479001600.0;
  p = p * s - 1.0 / 3628800.0;
  p = p * s + 1.0 / 40320.0;
  p = p * s - 1.0 / 720.0;
  p = p * s + 1.0 / 24.0;
  const Sum parabola = exact_sum(1.0, -0.5 * s);
  return parabola.high + (parabola.low + (s * s * p - r.high * r.low));
}

// sin(x + quarters * pi / 2), by the quadrant of x.
OUTRIDER_HD constexpr double sin_of(double x, std::int64_t quarters) {
  if (!(x >= -1e6 && x <= 1e6)) return kNaN;
  const double n = (x * 0x1.45f306dc9c883p-1 + kRounder) - kRounder;
  const Sum r2 = exact_sum(x - n * kHalfPi1, -(n * kHalfPi2));
  const Sum r = exact_sum(r2.high, r2.low - n * kHalfPi3);
  switch ((static_cast<std::int64_t>(n) + quarters) & 3) {
    case 0:
      return sin_near_zero(r);
    case 1:
      return cos_near_zero(r);
    case 2:
      return -sin_near_zero(r);
    default:
      return -cos_near_zero(r);
  }
}

// log(2^scale (x + tail)) for a normal x and a tail below its last bit.
OUTRIDER_HD constexpr double log_of(double x, double tail, std::int64_t scale) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  std::int64_t exponent = scale + static_cast<std::int64_t>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
  if (m > 0x1.6a09e667f3bcdp+0) {  // keep m in (sqrt(1/2), sqrt(2)]
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 atanh(t), t = (m - 1) / (m + 1), |t| <= 0.172.
  const double f = m - 1.0;
  const double t = f / (2.0 + f);
  const double s = t * t;
  double p = 1.0 / 23.0;
  p = p * s + 1.0 / 21.0;
  p = p * s + 1.0 / 19.0;
  p = p * s + 1.0 / 17.0;
  p = p * s + 1.0 / 15.0;
  p = p * s + 1.0 / 13.0;
  p = p * s + 1.0 / 11.0;
  p = p * s + 1.0 / 9.0;
  p = p * s + 1.0 / 7.0;
  p = p * s + 1.0 / 5.0;
  p = p * s + 1.0 / 3.0;
  // 2 t = f - t f = f - f^2 / 2 + t f^2 / 2, which keeps the leading term exact.
  const double half_square = 0.5 * f * f;
  const double rest = t * (half_square + 2.0 * s * p);
  const double n = static_cast<double>(exponent);
  return n * kLn2High - ((half_square - (rest + (n * kLn2Low + tail / x))) - f);
}

}  // namespace parts

/// e^x; 0 below -745.2, infinity above 709.79.
OUTRIDER_HD constexpr double exp(double x) {
  if (x >= parts::kExpLowest && x <= parts::kExpHighest) return parts::scaled_exp(x, 0);
  if (x != x) return x;
  if (x > 709.79) return parts::kInfinity;
  if (x < -745.2) return 0.0;
  // The last multiplication over- or underflows correctly.
  return x > 0 ? parts::scaled_exp(x, -64) * 0x1p64 : parts::scaled_exp(x, 64) * 0x1p-64;
}

/// Natural logarithm; -infinity at 0, NaN below.
OUTRIDER_HD constexpr double log(double x) {
  if (x != x || x < 0.0) return parts::kNaN;
  if (x == 0.0) return -parts::kInfinity;
  if (x == parts::kInfinity) return x;
  if (x < std::numeric_limits<double>::min()) return parts::log_of(x * 0x1p54, 0.0, -54);
  return parts::log_of(x, 0.0, 0);
}

/// log(1 + x), accurate near 0; -infinity at -1, NaN below.
OUTRIDER_HD constexpr double log1p(double x) {
  const double u = 1.0 + x;
  if (!(u > 0.0) || u == parts::kInfinity) return log(u);
  const parts::Sum sum = parts::exact_sum(1.0, x);
  return parts::log_of(sum.high, sum.low, 0);
}

/// Sine and cosine for |x| up to a million; NaN beyond.
OUTRIDER_HD constexpr double sin(double x) { return parts::sin_of(x, 0); }
OUTRIDER_HD constexpr double cos(double x) { return parts::sin_of(x, 1); }

/// e^x of every element, with the same bits as `exp`, in half the time.
/// @param out  as long as `x`; may be `x` itself
void exp_each(std::span<const double> x, std::span<double> out);

}  // namespace outrider::math
