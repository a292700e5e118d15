#pragma once

#include <cstddef>
#include <span>

namespace outrider::fuzz {

/// Reads the file of such pieces (hdf5_pieces.h) as a training checkpoint; aborts if its parts do not fit.
/// @throws InputError if it is refused
void read_checkpoint(std::span<const std::byte> pieces);

}  // namespace outrider::fuzz
