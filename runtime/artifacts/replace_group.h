#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "runtime/artifacts/provenance.h"
#include "runtime/artifacts/target.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// Adds the datasets of a group. @param group  its path: dataset "tokens" is `group` + "/tokens"
using FillGroup = std::function<void(hdf5::Writer&, const std::string& group)>;

/// Writes one group and leaves the others of the file as they are; the file and its folder are made
/// when they are not there. Tools that do this at once wait for each other, and whoever reads sees the
/// file before or after, never between.
/// @param provenance  its code version and date are filled in here
/// @throws InputError when the file is there and belongs to another target
void replace_group(const std::filesystem::path& path, const TargetIdentity& target,
                   const std::string& group, Provenance provenance, const FillGroup& fill);

}  // namespace outrider::artifacts
