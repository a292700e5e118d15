#pragma once

#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/cost/trials.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kTrials = "/trials";

/// "/trials/<method>": what calibration tried of a method.
std::string trials_group(const std::string& method);

/// Writes the settings as columns ("settings/draft-length"), of which a number that a trial lacks is no number and a text
/// is empty, and so their counts.
void write_trials(const cost::Trials& trials, hdf5::Writer& file, const std::string& group);
/// @throws InputError for an invalid group. Whether a method takes a value is checked where it is given to it.
cost::Trials read_trials(const hdf5::Reader& file, const std::string& group);

/// The file with a method's trials; nullptr where no file has them.
/// @throws InputError where, in their place, there are settings as an earlier version wrote them
const ArtifactFile* file_with_trials(const ArtifactSet& known, const std::string& method);

}  // namespace outrider::artifacts
