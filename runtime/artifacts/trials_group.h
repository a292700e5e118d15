#pragma once

#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/cost/trials.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kTrials = "/trials";

/// "/trials/<method>": what calibration tried of a method with the target's own drafter, and "/trials/<method>/<drafter>": with
/// one that a user named. @param drafter  its hash; empty: the target's own
std::string trials_group(const std::string& method, const std::string& drafter = "");
/// Whether a group is one of these.
bool is_trials_group(const std::string& group);
/// The method that such a group is of.
std::string method_of_trials(const std::string& group);
/// Whether a method was tried with drafters that users named.
bool has_trials_of_named(const ArtifactSet& known, const std::string& method);

/// Writes the settings as columns ("settings/draft-length"), of which a number that a trial lacks is no number and a text
/// is empty, and so their counts.
void write_trials(const cost::Trials& trials, hdf5::Writer& file, const std::string& group);
/// @throws InputError for an invalid group. Whether a method takes a value is checked where it is given to it.
cost::Trials read_trials(const hdf5::Reader& file, const std::string& group);

/// The file with a method's trials with the target's own drafter; nullptr where no file has them.
/// @throws InputError where, in their place, there are settings as an earlier version wrote them
const ArtifactFile* file_with_trials(const ArtifactSet& known, const std::string& method);

}  // namespace outrider::artifacts
