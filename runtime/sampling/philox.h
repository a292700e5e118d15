#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace outrider::sampling {

using PhiloxBlock = std::array<std::uint64_t, 4>;

/// Philox4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011):
/// 256 random bits for every counter, independent from key to key. Under one key no two counters
/// give the same block, since a block is the counter enciphered.
///
/// Several counters at once, to overlap the latencies of multiplications.
template <std::size_t kCounters>
std::array<PhiloxBlock, kCounters> philox4x64(std::array<PhiloxBlock, kCounters> counters,
                                              std::array<std::uint64_t, 2> key);

inline PhiloxBlock philox4x64(const PhiloxBlock& counter, const std::array<std::uint64_t, 2>& key) {
  return philox4x64<1>({counter}, key)[0];
}

}  // namespace outrider::sampling
