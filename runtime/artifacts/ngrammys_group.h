#pragma once

#include <string>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/draft/ngram/ngram_tables.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kNgrammys = "/ngrammys";

void write_ngrammys(const draft::NgramTables& tables, hdf5::Writer& file, const std::string& group);
/// @throws InputError if the file lacks the group or a token is not in the target's vocabulary
draft::NgramTables read_ngrammys(const ArtifactFile& file);

}  // namespace outrider::artifacts
