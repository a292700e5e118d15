#pragma once

#include <cstddef>
#include <span>

namespace outrider::fuzz {

/// Makes a file of the pieces, reads every group of an artifact file that it has and uses and prints what
/// they hold; aborts where one is accepted although its parts do not fit together.
/// @throws InputError when the file or a group is refused; std::runtime_error as `file_of_pieces`
void read_artifact(std::span<const std::byte> pieces);

}  // namespace outrider::fuzz
