#include "runtime/sampling/gumbel_noise.h"

#include <algorithm>

#include "runtime/base/math.h"

namespace outrider::sampling {
namespace {

std::uint32_t half_in(const PhiloxBlock& words, int i) {
  return static_cast<std::uint32_t>(words[static_cast<std::size_t>(i / 2)] >> (i % 2 * 32));
}

}  // namespace

std::uint32_t GumbelNoise::half_of(Token token, Half half) const {
  return half_in(philox4x64(counter(token / kOfOneCounter, half), key()), token % kOfOneCounter);
}

std::array<PhiloxBlock, 2> GumbelNoise::words_of_upper_halves(std::int64_t n) const {
  static_assert(kBlock == 2 * kOfOneCounter);
  return philox4x64<2>({counter(2 * n, kUpper), counter(2 * n + 1, kUpper)}, key());
}

std::array<std::uint32_t, GumbelNoise::kBlock> GumbelNoise::upper_halves(std::int64_t n) const {
  const auto words = words_of_upper_halves(n);
  std::array<std::uint32_t, kBlock> out;
  for (int i = 0; i < kOfOneCounter; ++i) {
    out[static_cast<std::size_t>(i)] = half_in(words[0], i);
    out[static_cast<std::size_t>(kOfOneCounter) + static_cast<std::size_t>(i)] =
        half_in(words[1], i);
  }
  return out;
}

void GumbelNoise::count_zeros(std::span<std::uint8_t> blocks) const {
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    const auto words = words_of_upper_halves(static_cast<std::int64_t>(n));
    // A word holds two, of which the lower is moved up; only the upper half of the smallest counts.
    std::array<std::uint64_t, 4> smallest;
    for (std::size_t i = 0; i < smallest.size(); ++i)
      smallest[i] = std::min(std::min(words[0][i], words[1][i]),
                             std::min(words[0][i] << 32, words[1][i] << 32));
    const std::uint64_t least =
        std::min(std::min(smallest[0], smallest[1]), std::min(smallest[2], smallest[3]));
    blocks[n] =
        static_cast<std::uint8_t>(std::countl_zero(static_cast<std::uint32_t>(least >> 32)));
  }
}

std::uint32_t GumbelNoise::upper_half(Token token) const { return half_of(token, kUpper); }

std::uint64_t GumbelNoise::bits(Token token) const {
  return static_cast<std::uint64_t>(upper_half(token)) << 32 | half_of(token, kLower);
}

double GumbelNoise::uniform(std::uint64_t bits) {
  // Sums may round up to 1: the largest double below keeps the noise finite.
  return std::min((static_cast<double>(bits) + 0.5) * 0x1p-64, 1.0 - 0x1p-53);
}

double GumbelNoise::from_bits(std::uint64_t bits) {
  return -math::log(-math::log1p(-uniform(bits)));
}

}  // namespace outrider::sampling
