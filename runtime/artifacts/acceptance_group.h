#pragma once

#include <map>
#include <string>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/draft/acceptance_table.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// How often the drafts of a method were accepted, by temperature.
using AcceptanceByTemperature = std::map<double, draft::AcceptanceTable>;

/// The group of a method.
std::string acceptance_group(const std::string& method);

/// @param tables  at least one
void write_acceptance(const AcceptanceByTemperature& tables, hdf5::Writer& file,
                      const std::string& group);
/// @throws InputError for an invalid group
AcceptanceByTemperature read_acceptance(const ArtifactFile& file, const std::string& group);

}  // namespace outrider::artifacts
