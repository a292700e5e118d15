#pragma once

#include <string>

#include "runtime/artifacts/artifact_set.h"

namespace outrider {

/// Whether a file begins as HDF5 files do; false when it cannot be read.
bool looks_like_hdf5(const std::filesystem::path& path);

/// Whether it is a folder with files named as artifact files are (*.h5), and not a model's.
bool holds_artifacts(const std::filesystem::path& path);

/// What an artifact file holds, for a person: whose it is, and each result with how it was made.
std::string artifact_text(const artifacts::ArtifactFile& file);
/// What all files of a folder hold, those of a target read as one, with the file of each result.
std::string artifact_text(const artifacts::ArtifactFolder& folder);

/// The same as one JSON object, with a line feed.
std::string artifact_json(const artifacts::ArtifactFile& file);
std::string artifact_json(const artifacts::ArtifactFolder& folder);

}  // namespace outrider
