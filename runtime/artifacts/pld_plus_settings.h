#pragma once

#include <string>
#include <vector>

#include "runtime/draft/copy/pld_plus_settings.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// Writes the groups "settings/0", "settings/1", … below the group of heads or layer, each with per-step
/// lengths as "by_step".
/// @param all  by temperature, ascending
void write_pld_plus_settings(const std::vector<draft::PldPlusSettings>& all, hdf5::Writer& file,
                             const std::string& group);
/// The settings, at least one. @throws InputError for what is not such a group
std::vector<draft::PldPlusSettings> read_pld_plus_settings(const hdf5::Reader& file,
                                                           const std::string& group);

}  // namespace outrider::artifacts
