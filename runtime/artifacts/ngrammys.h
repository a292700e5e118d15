#pragma once

#include <string>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/cost/draft_grid.h"
#include "runtime/draft/ngram/ngram_tables.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kNgrammys = "/ngrammys";
/// The group of a machine's grid.
std::string ngrammys_grid_group(const std::string& machine);

void write_ngrammys(const draft::NgramTables& tables, hdf5::Writer& file, const std::string& group);
/// @throws InputError if the file lacks the group or a token is not in the target's vocabulary
draft::NgramTables read_ngrammys(const ArtifactFile& file);

void write_ngrammys_grid(const cost::DraftGrid& grid, hdf5::Writer& file, const std::string& group);
/// @throws InputError for an invalid group
cost::DraftGrid read_ngrammys_grid(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
