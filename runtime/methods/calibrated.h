#pragma once

#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/model/model.h"

namespace outrider {

struct DecodeOptions;

/// What --artifacts and checkpoints/ hold for the model.
/// @throws InputError when what is named holds nothing for it
artifacts::ArtifactSet artifacts_of(const DecodeOptions& options, const model::Model& model);

/// The file that has a result for the model, which `options` then names, for records; nullptr if none was
/// named and none has it.
/// @param command  which makes the group
/// @throws InputError when a file was named and none has the group
const artifacts::ArtifactFile* calibrated(DecodeOptions& options,
                                          const artifacts::ArtifactSet& known,
                                          const std::string& group, const std::string& command);

}  // namespace outrider
