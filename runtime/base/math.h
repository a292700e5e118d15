#pragma once

namespace outrider::math {

// Elementary functions in double precision, of our own: the C library's give other bits on other
// CPUs, and what reaches the text must not. Plain additions, multiplications and divisions, within
// 3 ulp.

/// e^x; 0 below -745, infinity above 709.
double exp(double x);
/// Natural logarithm; -infinity at 0, NaN below.
double log(double x);
/// log(1 + x), accurate near 0.
double log1p(double x);
/// For |x| up to a million.
double sin(double x);
double cos(double x);

}  // namespace outrider::math
