#pragma once

#include <string>

#include "runtime/artifacts/artifact_set.h"

namespace outrider {

/// Whether the path is a folder with artifact files (*.h5), and not a model's.
bool holds_artifacts(const std::filesystem::path& path);

/// The contents of an artifact file as text: its target, and each result with its provenance.
std::string artifact_text(const artifacts::ArtifactFile& file);
/// The contents of all files of a folder, those of a target merged, with the file of each result.
std::string artifact_text(const artifacts::ArtifactFolder& folder);

/// The contents as one JSON object, with a line feed.
std::string artifact_json(const artifacts::ArtifactFile& file);
std::string artifact_json(const artifacts::ArtifactFolder& folder);

}  // namespace outrider
