#pragma once

#include <vector>

#include "train/optimiser/parameter.h"

namespace outrider::train {

/// Multiplies all gradients by `factor`, and then by what makes the norm of all of them together at most
/// `most_norm` (0: no limit), in one pass. Gradients that are not finite are left as they are.
/// @return the norm after `factor`, before the limit
double scale_gradients(const std::vector<Parameter>& parameters, double factor, double most_norm);

}  // namespace outrider::train
