#pragma once

#include <string>

#include "runtime/artifacts/artifact_file.h"

namespace outrider {

/// Whether a file begins as HDF5 files do; false when it cannot be read.
bool looks_like_hdf5(const std::filesystem::path& path);

/// What an artifact file holds, for a person: whose it is, and each result with how it was made.
std::string artifact_text(const artifacts::ArtifactFile& file);

/// The same as one JSON object, with a line feed.
std::string artifact_json(const artifacts::ArtifactFile& file);

}  // namespace outrider
