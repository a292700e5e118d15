#pragma once

#include "runtime/artifacts/artifact_file.h"
#include "runtime/draft/parallel/followers.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kFollowers = "/followers";

void write_followers(const draft::Followers& followers, hdf5::Writer& file,
                     const std::string& group);
/// @throws InputError for an invalid group
draft::Followers read_followers(const ArtifactFile& file);

}  // namespace outrider::artifacts
