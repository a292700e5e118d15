#pragma once

#include <cstdint>

#include "runtime/base/portable.h"

namespace outrider {

/// A counter, or the 256 random bits that it gives.
struct PhiloxBlock {
  std::uint64_t words[4];

  friend bool operator==(const PhiloxBlock&, const PhiloxBlock&) = default;
};

struct PhiloxKey {
  std::uint64_t words[2];
};

/// Philox4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011):
/// 256 random bits for every counter, independent from key to key. Under one key no two counters
/// give the same block, since a block is the counter enciphered.
///
/// Several counters at once, to overlap the latencies of multiplications.
/// @param blocks  the counters, which become their blocks
template <int kCounters>
OUTRIDER_HD constexpr void philox4x64_each(PhiloxBlock (&blocks)[kCounters], PhiloxKey key) {
  __extension__ using Product = unsigned __int128;
  constexpr int kRounds = 10;
  constexpr std::uint64_t kMultiplier0 = 0xd2e7470ee14c6c93u;
  constexpr std::uint64_t kMultiplier1 = 0xca5a826395121157u;
  // The key schedule's steps: the golden ratio and sqrt(3) - 1.
  constexpr std::uint64_t kKeyStep0 = 0x9e3779b97f4a7c15u;
  constexpr std::uint64_t kKeyStep1 = 0xbb67ae8584caa73bu;
  for (int round = 0; round < kRounds; ++round) {
    for (PhiloxBlock& block : blocks) {
      const Product product0 = static_cast<Product>(kMultiplier0) * block.words[0];
      const Product product1 = static_cast<Product>(kMultiplier1) * block.words[2];
      block = {{static_cast<std::uint64_t>(product1 >> 64) ^ block.words[1] ^ key.words[0],
                static_cast<std::uint64_t>(product1),
                static_cast<std::uint64_t>(product0 >> 64) ^ block.words[3] ^ key.words[1],
                static_cast<std::uint64_t>(product0)}};
    }
    key.words[0] += kKeyStep0;
    key.words[1] += kKeyStep1;
  }
}

OUTRIDER_HD constexpr PhiloxBlock philox4x64(const PhiloxBlock& counter, const PhiloxKey& key) {
  PhiloxBlock blocks[1] = {counter};
  philox4x64_each(blocks, key);
  return blocks[0];
}

}  // namespace outrider
