#include "runtime/decode/gumbel_noise.h"

#include <algorithm>

#include "runtime/base/math.h"

namespace outrider::decode {

GumbelNoise::GumbelNoise(std::uint64_t sequence_seed, std::int64_t position)
    : state_(mix64(mix64(sequence_seed) +
                   mix64(static_cast<std::uint64_t>(position) ^ 0xd1b54a32d192ed03u))) {}

double GumbelNoise::value(Token token) const {
  // Near 1 a double has no more room: the largest one below keeps the noise finite.
  const double u = std::min((static_cast<double>(bits(token)) + 0.5) * 0x1p-64, 1.0 - 0x1p-53);
  return -math::log(-math::log1p(-u));
}

}  // namespace outrider::decode
