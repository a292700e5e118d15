#pragma once

#include <string>

#include "runtime/cost/tree_settings.h"
#include "runtime/draft/parallel/parallel_model.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kTreeSettings = "/tree_settings";

/// "/tree_settings/<flavour>": where results of `calibrate tree` for a drafter of parallel_group are, by machine.
std::string tree_settings_kind(draft::ParallelModel::Flavour flavour);
/// "/tree_settings/<flavour>/<machine>"
std::string tree_settings_group(draft::ParallelModel::Flavour flavour, const std::string& machine);

void write_tree_settings(const cost::MachineTreeSettings& settings, hdf5::Writer& file,
                         const std::string& group);
/// @throws InputError for an invalid group
cost::MachineTreeSettings read_tree_settings(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
