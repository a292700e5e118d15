#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/provenance.h"
#include "runtime/artifacts/target_identity.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// Adds the datasets of a group. @param group  its path: dataset "tokens" is `group` + "/tokens"
using FillGroup = std::function<void(hdf5::Writer&, const std::string& group)>;

/// Writes one group and keeps the file's others; creates the file and its folder if needed. Concurrent
/// writers wait for each other, and readers see the file before or after, never in between.
/// @param provenance  its code version and date are filled in here
/// @throws InputError if the file exists and was made for another target
void replace_group(const std::filesystem::path& path, const TargetIdentity& target,
                   const std::string& group, Provenance provenance, const FillGroup& fill);

/// Checks before long work that `replace_group` can write the file, as far as that is known before.
/// @throws InputError with the system's reason; if the path is not a file
void check_can_write(const std::filesystem::path& path);

/// The file of file_to_write, checked before long work.
/// @throws InputError if it cannot be written, or was made for another target
std::filesystem::path checked_file_to_write(const std::filesystem::path& named,
                                            const Folders& folders, const TargetIdentity& target,
                                            const std::string& group);

}  // namespace outrider::artifacts
