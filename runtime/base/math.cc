#include "runtime/base/math.h"

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace outrider::math {
namespace {

// Adding it rounds a double of moderate size to an integer, ties to even.
constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52

double round_to_integer(double x) { return (x + kRounder) - kRounder; }

double power_of_two(std::int64_t n) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

// ln 2 and pi / 2 in parts whose product with a small integer is exact.
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kHalfPi1 = 0x1.921fb54400000p+0;
constexpr double kHalfPi2 = 0x1.0b4611a600000p-34;
constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;

double sin_near_zero(double r) {
  const double s = r * r;
  double p = 1.0 / 355687428096000.0;
  p = p * s - 1.0 / 1307674368000.0;
  p = p * s + 1.0 / 6227020800.0;
  p = p * s - 1.0 / 39916800.0;
  p = p * s + 1.0 / 362880.0;
  p = p * s - 1.0 / 5040.0;
  p = p * s + 1.0 / 120.0;
  p = p * s - 1.0 / 6.0;
  return r + r * (s * p);
}

double cos_near_zero(double r) {
  const double s = r * r;
  double p = 1.0 / 20922789888000.0;
  p = p * s - 1.0 / 87178291200.0;
  p = p * s + 1.0 / 479001600.0;
  p = p * s - 1.0 / 3628800.0;
  p = p * s + 1.0 / 40320.0;
  p = p * s - 1.0 / 720.0;
  p = p * s + 1.0 / 24.0;
  return (1.0 - 0.5 * s) + s * s * p;
}

// sin(x + quarters * pi / 2), by the quadrant that x lies in.
double sin_of(double x, std::int64_t quarters) {
  const double n = round_to_integer(x * 0x1.45f306dc9c883p-1);
  const double r = ((x - n * kHalfPi1) - n * kHalfPi2) - n * kHalfPi3;
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

}  // namespace

double exp(double x) {
  if (x != x) return x;
  if (x > 709.782712893384) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0.0;
  const double n = round_to_integer(x * 0x1.71547652b82fep+0);
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
  // In two steps, so that neither factor over- or underflows before the product does.
  const std::int64_t half = static_cast<std::int64_t>(n) / 2;
  return power * power_of_two(half) * power_of_two(static_cast<std::int64_t>(n) - half);
}

double log(double x) {
  if (x != x || x < 0.0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0.0) return -std::numeric_limits<double>::infinity();
  if (x == std::numeric_limits<double>::infinity()) return x;
  std::int64_t exponent = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    exponent = -54;
  }
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<std::int64_t>(bits >> 52) - 1023;
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
  for (const double term : {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                            1.0 / 7, 1.0 / 5, 1.0 / 3})
    p = p * s + term;
  // 2 t = f - t f, which keeps the leading term exact.
  const double log_m = f - (t * f - 2.0 * t * s * p);
  const double n = static_cast<double>(exponent);
  return n * kLn2High + (log_m + n * kLn2Low);
}

double log1p(double x) {
  const double u = 1.0 + x;
  if (u == 1.0) return x;
  // Makes good what was lost when 1 + x was rounded.
  return log(u) * (x / (u - 1.0));
}

double sin(double x) { return sin_of(x, 0); }
double cos(double x) { return sin_of(x, 1); }

}  // namespace outrider::math
