#pragma once

#include "runtime/artifacts/artifact_file.h"
#include "runtime/draft/parallelspec/pair_counts.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kPairCounts = "/pair_counts";

void write_pair_counts(const draft::PairCounts& pair_counts, hdf5::Writer& file,
                       const std::string& group);
/// @throws InputError for an invalid group
draft::PairCounts read_pair_counts(const ArtifactFile& file);

}  // namespace outrider::artifacts
