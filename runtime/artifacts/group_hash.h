#pragma once

#include <string>

#include "runtime/artifacts/artifact_file.h"

namespace outrider::artifacts {

/// Identifies a trained group of a file: the hash of all of it but its provenance.
std::string group_hash(const ArtifactFile& file, const std::string& group);

}  // namespace outrider::artifacts
