#pragma once

#include <functional>
#include <string>

#include "runtime/artifacts/artifact_set.h"

namespace outrider::cli {

/// Writes each notice as a line to standard error; empty if `quiet`.
std::function<void(const std::string&)> notices(bool quiet);

/// Names the artifact files that cannot be read, on standard error.
void tell_refused(const artifacts::ArtifactSet& artifacts);

}  // namespace outrider::cli
