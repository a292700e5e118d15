#pragma once

#include <string>

#include "runtime/cost/graph_settings.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kGraphSettings = "/graph_settings";

/// "/graph_settings/<machine>": results of `calibrate graph` for the draft model of /draft.
std::string graph_settings_group(const std::string& machine);

void write_graph_settings(const cost::MachineGraphSettings& settings, hdf5::Writer& file,
                          const std::string& group);
/// @throws InputError for an invalid group
cost::MachineGraphSettings read_graph_settings(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
