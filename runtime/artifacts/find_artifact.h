#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/artifacts/target.h"

namespace outrider::artifacts {

/// Where artifact files are looked for.
inline constexpr const char* kArtifactFolder = "checkpoints";

/// The first file in a folder (*.h5, in alphabetical order) that was made for the model and has the
/// group. Files that cannot be read, or are no artifacts, are passed over.
/// @param group  empty: any file of the model will do
std::optional<std::filesystem::path> artifact_in(const std::filesystem::path& folder,
                                                 const TargetIdentity& model,
                                                 const std::string& group);

/// The same in checkpoints/: below the folder that the program runs in, or else where the programs come
/// with it.
std::optional<std::filesystem::path> find_artifact(const TargetIdentity& model,
                                                   const std::string& group);

/// Where a tool writes what it finds out about a model.
/// @param given  --artifacts; empty: the file that was made for the model in checkpoints/ below the
///               folder that the program runs in, else checkpoints/<model file's name>.h5 there
std::filesystem::path artifact_to_write(const std::filesystem::path& given,
                                        const TargetIdentity& model);

}  // namespace outrider::artifacts
