#pragma once

#include <string>
#include <vector>

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

/// @param grids  ascending by temperature, which all have
void write_ngrammys_grids(const std::vector<cost::DraftGrid>& grids, hdf5::Writer& file,
                          const std::string& group);
/// The grids, at least one; in older files one for all temperatures.
/// @throws InputError for an invalid group
std::vector<cost::DraftGrid> read_ngrammys_grids(const hdf5::Reader& file,
                                                 const std::string& group);

}  // namespace outrider::artifacts
