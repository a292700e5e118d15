#pragma once

#include <cstddef>
#include <span>

namespace outrider::fuzz {

/// Makes a file of the pieces and reads it as a trace shard to the last value; aborts where it is
/// accepted although its parts do not fit together.
/// @throws InputError when the shard is refused; std::runtime_error as `file_of_pieces`
void read_shard(std::span<const std::byte> pieces);

}  // namespace outrider::fuzz
