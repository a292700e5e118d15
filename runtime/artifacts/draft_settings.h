#pragma once

#include <string>

#include "runtime/cost/draft_settings.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kDraftSettings = "/draft_settings";

/// "/draft_settings/<machine>": results of `calibrate draft` for the draft model of /draft.
std::string draft_settings_group(const std::string& machine);

void write_draft_settings(const cost::MachineDraftSettings& settings, hdf5::Writer& file,
                          const std::string& group);
/// @throws InputError for an invalid group
cost::MachineDraftSettings read_draft_settings(const hdf5::Reader& file, const std::string& group);

/// One temperature of it. @param prefix  of its datasets' paths
void write_draft_curves(const cost::DraftSettings& settings, hdf5::Writer& file,
                        const std::string& prefix);
/// @throws InputError for invalid datasets
cost::DraftSettings read_draft_curves(const hdf5::Reader& file, const std::string& prefix);

}  // namespace outrider::artifacts
