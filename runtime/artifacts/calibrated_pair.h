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

}  // namespace outrider::artifacts
