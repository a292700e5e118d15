#pragma once

#include <string>

#include "runtime/methods/method.h"
#include "runtime/model/model.h"

namespace outrider::calibrate {

/// Identifies what a method will draft for a target: its settings as they are given, the files that they name, and all
/// results for the target that it may read.
std::string method_identity(methods::Method& method, const model::Model& target);

}  // namespace outrider::calibrate
