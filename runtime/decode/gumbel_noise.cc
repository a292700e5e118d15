#include "runtime/decode/gumbel_noise.h"

#include <algorithm>

#include "runtime/base/math.h"
#include "runtime/decode/philox.h"

namespace outrider::decode {

std::array<std::uint32_t, GumbelNoise::kBlock> GumbelNoise::halves(std::int64_t n,
                                                                   Half half) const {
  const auto words = philox4x64({static_cast<std::uint64_t>(n), position_, half, 0},
                                {seed_, static_cast<std::uint64_t>(use_)});
  std::array<std::uint32_t, kBlock> out;
  for (std::size_t i = 0; i < kBlock; ++i)
    out[i] = static_cast<std::uint32_t>(words[i / 2] >> (i % 2 * 32));
  return out;
}

std::array<std::uint32_t, GumbelNoise::kBlock> GumbelNoise::upper_halves(std::int64_t n) const {
  return halves(n, kUpper);
}

std::uint32_t GumbelNoise::upper_half(Token token) const {
  return halves(token / kBlock, kUpper)[static_cast<std::size_t>(token % kBlock)];
}

std::uint64_t GumbelNoise::bits(Token token) const {
  const std::uint32_t lower =
      halves(token / kBlock, kLower)[static_cast<std::size_t>(token % kBlock)];
  return static_cast<std::uint64_t>(upper_half(token)) << 32 | lower;
}

double GumbelNoise::from_bits(std::uint64_t bits) {
  // Near 1 a double has no more room: the largest one below keeps the noise finite.
  const double u = std::min((static_cast<double>(bits) + 0.5) * 0x1p-64, 1.0 - 0x1p-53);
  return -math::log(-math::log1p(-u));
}

}  // namespace outrider::decode
