#pragma once

#include <string>
#include <vector>

#include "runtime/draft/copy/pld_plus_lengths.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// Writes the groups of temperatures below the group of heads or layer, each with lengths by step as "by_step".
/// @param all  by temperature, ascending
void write_pld_plus_lengths(const std::vector<draft::PldPlusTemperature>& all, hdf5::Writer& file,
                            const std::string& group);
/// What was written, at least one. @throws InputError for what is not such a group, of an earlier version for instance
std::vector<draft::PldPlusTemperature> read_pld_plus_lengths(const hdf5::Reader& file,
                                                             const std::string& group);

}  // namespace outrider::artifacts
