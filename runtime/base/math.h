#pragma once

#include <span>

namespace outrider::math {

// Our own elementary functions in double precision: the bits of the C library's depend on the CPU,
// which must not reach the generated text. Additions, multiplications, divisions and bit operations
// only. Measured errors are below 1.1 ulp; 2 are guaranteed.

/// e^x; 0 below -745.2, infinity above 709.79.
double exp(double x);
/// Natural logarithm; -infinity at 0, NaN below.
double log(double x);
/// log(1 + x), accurate near 0; -infinity at -1, NaN below.
double log1p(double x);
/// Sine and cosine for |x| up to a million; NaN beyond.
double sin(double x);
double cos(double x);

/// e^x of every element, with the same bits as `exp`, in half the time.
/// @param out  as long as `x`; may be `x` itself
void exp_each(std::span<const double> x, std::span<double> out);

}  // namespace outrider::math
