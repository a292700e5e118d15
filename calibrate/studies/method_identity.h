#pragma once

#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/inference/target.h"
#include "runtime/methods/method.h"

namespace outrider::calibrate {

/// Identifies what a method will draft for a target: its settings as they are given, the files that they name, all
/// results for the target that it may read, and the machine and threads, by whose times it chooses among them.
/// @param folders  as for methods::MethodTarget
std::string method_identity(methods::Method& method, const inference::Target& target,
                            const artifacts::Folders& folders);

}  // namespace outrider::calibrate
