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
                                              std::array<std::uint64_t, 2> key) {
  __extension__ using Product = unsigned __int128;
  constexpr int kRounds = 10;
  constexpr std::uint64_t kMultiplier0 = 0xd2e7470ee14c6c93u;
  constexpr std::uint64_t kMultiplier1 = 0xca5a826395121157u;
  // The key schedule's steps: the golden ratio and sqrt(3) - 1.
  constexpr std::uint64_t kKeyStep0 = 0x9e3779b97f4a7c15u;
  constexpr std::uint64_t kKeyStep1 = 0xbb67ae8584caa73bu;
  const auto high = [](Product product) { return static_cast<std::uint64_t>(product >> 64); };
  const auto low = [](Product product) { return static_cast<std::uint64_t>(product); };
  for (int round = 0; round < kRounds; ++round) {
    for (PhiloxBlock& counter : counters) {
      const Product product0 = static_cast<Product>(kMultiplier0) * counter[0];
      const Product product1 = static_cast<Product>(kMultiplier1) * counter[2];
      counter = {high(product1) ^ counter[1] ^ key[0], low(product1),
                 high(product0) ^ counter[3] ^ key[1], low(product0)};
    }
    key[0] += kKeyStep0;
    key[1] += kKeyStep1;
  }
  return counters;
}

inline PhiloxBlock philox4x64(const PhiloxBlock& counter, const std::array<std::uint64_t, 2>& key) {
  return philox4x64<1>({counter}, key)[0];
}

}  // namespace outrider::sampling
