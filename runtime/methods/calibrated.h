#pragma once

#include <memory>
#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// The artifact files for a target, read once.
/// @param artifacts  the setting; empty: those in the target's folders
std::shared_ptr<const artifacts::ArtifactSet> known_artifacts(const MethodTarget& target,
                                                              const std::string& artifacts);

/// The folder that results were to be in, for messages: "checkpoints/".
std::string folders_text(const MethodTarget& target);

/// Calibration results for a target, from the setting `artifacts` or the target's folders.
struct Calibrated {
  std::shared_ptr<const artifacts::ArtifactSet> known;
  const artifacts::ArtifactFile* file = nullptr;  // that has the requested result
};

/// Finds a result for the target; no file if none was named and none has it.
/// @param artifacts  the setting; set to the file that has the result, for records
/// @param command    the command that makes the group
/// @throws InputError when the named file is of another target, or lacks the group
Calibrated find_calibrated(const MethodTarget& target, std::string& artifacts,
                           const std::string& group, const std::string& command);

}  // namespace outrider::methods
