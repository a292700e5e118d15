#pragma once

#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/methods/method.h"
#include "runtime/model/model.h"

namespace outrider::calibrate {

/// Identifies what a method will draft for a target: its settings as they are given, the files that they name, and all
/// results for the target that it may read.
/// @param folders  as for methods::MethodTarget
std::string method_identity(methods::Method& method, const model::Model& target,
                            const artifacts::Folders& folders);

}  // namespace outrider::calibrate
