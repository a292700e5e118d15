#pragma once

#include <string>

#include "runtime/cost/calibrated_pair.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

// The part of a group of settings that says which models they are for.

void write_calibrated_pair(const cost::CalibratedPair& pair, hdf5::Writer& file,
                           const std::string& group);

/// @throws InputError where a part is missing or no such number
cost::CalibratedPair read_calibrated_pair(const hdf5::Reader& file, const std::string& group);

/// Writes a pair with the costs of the draft model's passes, and the numbers of rows by which
/// cost::PassRows counts.
void write_calibrated_passes(const cost::CalibratedPasses& passes, hdf5::Writer& file,
                             const std::string& group);
/// @param command  that makes such a group
/// @throws InputError likewise, and where passes are counted by other numbers of rows
cost::CalibratedPasses read_calibrated_passes(const hdf5::Reader& file, const std::string& group,
                                              const std::string& command);

}  // namespace outrider::artifacts
