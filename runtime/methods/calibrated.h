#pragma once

#include <optional>
#include <string>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/model/model.h"

namespace outrider {

struct DecodeOptions;

/// The artifact file that has a result for the model: the one of --artifacts, else the first in
/// checkpoints/ that was made for it and has the group; nothing if none was named and none has it.
/// `options` then names the file, for records.
/// @param command  which makes the group
/// @throws InputError when the file named is of another model or lacks the group
std::optional<artifacts::ArtifactFile> calibrated(DecodeOptions& options, const model::Model& model,
                                                  const std::string& group,
                                                  const std::string& command);

}  // namespace outrider
