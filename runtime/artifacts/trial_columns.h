#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cost/trials.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// The most that a trial counts.
inline constexpr std::int64_t kMostCounted = std::int64_t{1} << 40;

// The trials of a temperature as columns, with a value for each trial.

/// @param names    of their settings
/// @param numbers  of rows, of which all of their passes are, ascending
/// @param prefix   of the columns' paths
void write_trial_columns(const std::vector<cost::Trial>& trials,
                         const std::vector<std::string>& names,
                         const std::vector<std::int32_t>& numbers, hdf5::Writer& file,
                         const std::string& prefix);
/// @throws InputError for columns that are invalid or of different lengths
std::vector<cost::Trial> read_trial_columns(const hdf5::Reader& file, const std::string& prefix,
                                            const std::vector<std::string>& names,
                                            const std::vector<std::int32_t>& numbers);

}  // namespace outrider::artifacts
