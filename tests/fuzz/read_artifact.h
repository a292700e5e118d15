#pragma once

#include <cstddef>
#include <span>

#include "runtime/artifacts/artifact_file.h"

namespace outrider::fuzz {

/// Reads every group of an artifact file and uses and prints what they hold; aborts where one is accepted although its parts
/// do not fit together.
/// @throws InputError when a group is refused
void read_groups(const artifacts::ArtifactFile& file);

/// Makes a file of the pieces and reads its groups.
/// @throws InputError when the file or a group is refused; std::runtime_error as `file_of_pieces`
void read_artifact(std::span<const std::byte> pieces);

}  // namespace outrider::fuzz
