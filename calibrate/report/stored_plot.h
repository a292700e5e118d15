#pragma once

#include <string>

#include "runtime/artifacts/artifact_set.h"

namespace outrider::calibrate {

/// What is stored in a group, as SVG. @throws InputError for one that is not there or that no picture shows
std::string stored_plot(const artifacts::ArtifactSet& known, const std::string& group);

}  // namespace outrider::calibrate
