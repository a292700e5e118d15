#pragma once

#include <array>
#include <cstdint>

namespace outrider::decode {

/// Philox4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011):
/// 256 random bits for every counter, independent from key to key. Under one key no two counters
/// give the same block, since a block is the counter enciphered.
std::array<std::uint64_t, 4> philox4x64(std::array<std::uint64_t, 4> counter,
                                        std::array<std::uint64_t, 2> key);

}  // namespace outrider::decode
