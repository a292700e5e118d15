#include "runtime/base/math.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace outrider {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The distance of `got` from `want` in units of the last place of a double near `want`.
double error_in_ulps(double got, long double want) {
  if (std::isinf(got)) return want > 0x1.fffffffffffffp+1023L ? 0 : kInfinity;
  int exponent = 0;
  std::frexp(want, &exponent);
  const long double ulp = std::ldexp(1.0L, std::max(exponent - 53, -1074));
  return static_cast<double>(std::fabs(got - want) / ulp);
}

/// Reproducible inputs, generated without rounding.
class Inputs {
 public:
  std::uint64_t bits() { return random_(); }
  double from(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  /// 2^-k times a number from 1/2 to 1, with k below `most`.
  double small(int most) {
    const int k = static_cast<int>(random_() % static_cast<std::uint64_t>(most));
    return std::ldexp(from(0.5, 1), -k);
  }
  /// A double next to a multiple of pi / 2, where the sine or cosine suffers the most cancellation.
  double near_quarter_turn() {
    const auto n = static_cast<long double>(random_() % 600'000);
    const double x = static_cast<double>(n * 1.57079632679489661923L);
    const std::int64_t off = static_cast<std::int64_t>(random_() % 5) - 2;
    return std::bit_cast<double>(std::bit_cast<std::int64_t>(x) + (x > 1 ? off : 0));
  }

 private:
  std::mt19937_64 random_{20260101};
};

double worst_error(double (*ours)(double), long double (*theirs)(long double),
                   const std::function<double()>& input) {
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double x = input();
    const double error = error_in_ulps(ours(x), theirs(static_cast<long double>(x)));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

// The oracle is the C library in long double, 11 bits finer than double.
static_assert(std::numeric_limits<long double>::digits >= 64);
constexpr double kPromised = 2.0;

TEST(Math, ExponentialIsWithinTwoUlps) {
  Inputs in;
  EXPECT_LE(worst_error(math::exp, std::exp, [&] { return in.from(-1, 1); }), kPromised);
  EXPECT_LE(worst_error(math::exp, std::exp, [&] { return in.from(-745, 709.7); }), kPromised);
  EXPECT_LE(worst_error(math::exp, std::exp, [&] { return in.small(70); }), kPromised);
  EXPECT_LE(worst_error(math::exp, std::exp, [&] { return in.from(-745.2, -707.9); }), kPromised);
  EXPECT_LE(worst_error(math::exp, std::exp, [&] { return in.from(708.9, 709.79); }), kPromised);
}

TEST(Math, LogarithmIsWithinTwoUlps) {
  Inputs in;
  EXPECT_LE(worst_error(math::log, std::log, [&] { return in.from(0.5, 2); }), kPromised);
  EXPECT_LE(worst_error(math::log, std::log, [&] { return 1 + in.small(52); }), kPromised);
  const auto any_positive = [&] { return std::bit_cast<double>(in.bits() % 0x7ff0000000000000u); };
  EXPECT_LE(worst_error(math::log, std::log, any_positive), kPromised);
  const auto subnormal = [&] { return std::bit_cast<double>(1 + in.bits() % 0xfffffffffffffu); };
  EXPECT_LE(worst_error(math::log, std::log, subnormal), kPromised);
}

TEST(Math, LogarithmOfOnePlusIsWithinTwoUlps) {
  Inputs in;
  const auto worst = [&](const auto& input) { return worst_error(math::log1p, std::log1p, input); };
  EXPECT_LE(worst([&] { return -in.from(0, 1); }), kPromised);
  EXPECT_LE(worst([&] { return -in.small(70); }), kPromised);
  EXPECT_LE(worst([&] { return in.small(70); }), kPromised);
  EXPECT_LE(worst([&] { return std::ldexp(in.small(130), 65); }), kPromised);
  // Near -1, where a token's noise is lowest.
  EXPECT_LE(worst([&] { return -1.0 + in.small(52); }), kPromised);
}

TEST(Math, SineAndCosineAreWithinTwoUlps) {
  Inputs in;
  for (const double range : {1.0, 10.0, 1e4, 1e6}) {
    EXPECT_LE(worst_error(math::sin, std::sin, [&] { return in.from(-range, range); }), kPromised);
    EXPECT_LE(worst_error(math::cos, std::cos, [&] { return in.from(-range, range); }), kPromised);
  }
  EXPECT_LE(worst_error(math::sin, std::sin, [&] { return in.near_quarter_turn(); }), kPromised);
  EXPECT_LE(worst_error(math::cos, std::cos, [&] { return in.near_quarter_turn(); }), kPromised);
  EXPECT_LE(worst_error(math::sin, std::sin, [&] { return in.small(70); }), kPromised);
}

TEST(Math, IsRightAtTheEndsOfItsRanges) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(math::exp(0.0), 1.0);
  EXPECT_EQ(math::exp(-kInfinity), 0.0);
  EXPECT_EQ(math::exp(kInfinity), kInfinity);
  EXPECT_EQ(math::exp(709.8), kInfinity);
  EXPECT_EQ(math::exp(-746.0), 0.0);
  EXPECT_TRUE(std::isnan(math::exp(nan)));
  EXPECT_EQ(math::log(1.0), 0.0);
  EXPECT_EQ(math::log(0.0), -kInfinity);
  EXPECT_EQ(math::log(-0.0), -kInfinity);
  EXPECT_EQ(math::log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(math::log(-1.0)));
  EXPECT_TRUE(std::isnan(math::log(nan)));
  EXPECT_EQ(math::log1p(0.0), 0.0);
  EXPECT_EQ(math::log1p(-1.0), -kInfinity);
  EXPECT_EQ(math::log1p(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(math::log1p(-1.5)));
  EXPECT_TRUE(std::isnan(math::log1p(nan)));
  EXPECT_EQ(math::sin(0.0), 0.0);
  EXPECT_EQ(math::cos(0.0), 1.0);
  EXPECT_TRUE(std::isnan(math::sin(1.1e6)));
  EXPECT_TRUE(std::isnan(math::cos(nan)));
}

TEST(Math, ExponentiatesManyWithTheSameBitsAsOneByOne) {
  Inputs in;
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i) x.push_back(in.from(-40, 0));
  for (const double edge : {-kInfinity, kInfinity, -708.0, -708.1, -746.0, 709.0, 709.1, 800.0})
    x.insert(x.begin() + static_cast<std::ptrdiff_t>(in.bits() % x.size()), edge);
  std::vector<double> out(x.size());
  math::exp_each(x, out);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(out[i], math::exp(x[i])) << "e^" << x[i];
  math::exp_each(x, x);
  EXPECT_EQ(x, out);
}

/// Hashes the bits of f at 100,000 inputs.
template <typename Input>
std::uint64_t fingerprint(double (*f)(double), Input input) {
  std::vector<double> values;
  for (int i = 0; i < 100'000; ++i) values.push_back(f(input()));
  return XXH3_64bits(values.data(), values.size() * sizeof(double));
}

// The hashes are of this code built by g++ 12 and clang 14, at -O0 and -O3, with and without AVX-512;
// the tests above check the values. A compiler that fuses or reorders operations, or a CPU that rounds
// differently, gives other hashes.
TEST(Math, GivesTheSameBitsEverywhere) {
  Inputs in;
  EXPECT_EQ(fingerprint(math::exp, [&] { return in.from(-746, 710); }), 0x4e985511635d634cu);
  EXPECT_EQ(fingerprint(math::exp, [&] { return in.from(-2, 2); }), 0x3ed0570fecdd0123u);
  EXPECT_EQ(fingerprint(math::log, [&] { return std::bit_cast<double>(in.bits() >> 2); }),
            0xf32664b527e4633bu);
  EXPECT_EQ(fingerprint(math::log, [&] { return in.from(0.5, 2); }), 0xb71184c90b15bba8u);
  EXPECT_EQ(fingerprint(math::log1p, [&] { return -in.from(0, 1); }), 0x593aec9a0136ccc8u);
  EXPECT_EQ(fingerprint(math::log1p, [&] { return -in.small(66); }), 0xb30d20e378c0b257u);
  EXPECT_EQ(fingerprint(math::sin, [&] { return in.from(-1e6, 1e6); }), 0xa5fb924e24394eb8u);
  EXPECT_EQ(fingerprint(math::cos, [&] { return in.from(-100, 100); }), 0xc82597f30639f392u);
}

}  // namespace
}  // namespace outrider
