#pragma once

#include <ATen/core/Tensor.h>

namespace outrider::train {

/// The root mean square of a tensor's numbers, in double.
double root_mean_square(const at::Tensor& numbers);

/// The power of two nearest to a size on a logarithmic scale, by which numbers are scaled without rounding; 1 for sizes that
/// are not positive and finite.
double power_of_two_near(double size);

}  // namespace outrider::train
