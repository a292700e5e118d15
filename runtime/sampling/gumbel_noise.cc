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

std::array<std::uint32_t, GumbelNoise::kBlock> GumbelNoise::upper_halves(std::int64_t n) const {
  static_assert(kBlock == 2 * kOfOneCounter);
  const auto words = philox4x64<2>({counter(2 * n, kUpper), counter(2 * n + 1, kUpper)}, key());
  std::array<std::uint32_t, kBlock> out;
  for (int i = 0; i < kOfOneCounter; ++i) {
    out[static_cast<std::size_t>(i)] = half_in(words[0], i);
    out[static_cast<std::size_t>(kOfOneCounter) + static_cast<std::size_t>(i)] =
        half_in(words[1], i);
  }
  return out;
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
