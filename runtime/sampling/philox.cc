#include "runtime/sampling/philox.h"

namespace outrider::sampling {
namespace {

__extension__ using Product = unsigned __int128;

constexpr int kRounds = 10;
constexpr std::uint64_t kMultiplier0 = 0xd2e7470ee14c6c93u;
constexpr std::uint64_t kMultiplier1 = 0xca5a826395121157u;
// The key schedule's steps: the golden ratio and sqrt(3) - 1.
constexpr std::uint64_t kKeyStep0 = 0x9e3779b97f4a7c15u;
constexpr std::uint64_t kKeyStep1 = 0xbb67ae8584caa73bu;

std::uint64_t high(Product product) { return static_cast<std::uint64_t>(product >> 64); }
std::uint64_t low(Product product) { return static_cast<std::uint64_t>(product); }

}  // namespace

template <std::size_t kCounters>
std::array<PhiloxBlock, kCounters> philox4x64(std::array<PhiloxBlock, kCounters> counters,
                                              std::array<std::uint64_t, 2> key) {
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

template std::array<PhiloxBlock, 1> philox4x64<1>(std::array<PhiloxBlock, 1>,
                                                  std::array<std::uint64_t, 2>);
template std::array<PhiloxBlock, 2> philox4x64<2>(std::array<PhiloxBlock, 2>,
                                                  std::array<std::uint64_t, 2>);

}  // namespace outrider::sampling
