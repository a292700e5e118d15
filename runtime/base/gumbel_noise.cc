#include "runtime/base/gumbel_noise.h"

#include <algorithm>

namespace outrider {

void GumbelNoise::count_zeros(std::span<std::uint8_t> blocks) const {
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    const Words words = words_of_upper_halves(static_cast<std::int64_t>(n));
    const std::uint64_t* const first = words.of[0].words;
    const std::uint64_t* const second = words.of[1].words;
    // A word holds two, of which the lower is moved up; only the upper half of the smallest counts.
    std::uint64_t smallest[4];
    for (int i = 0; i < 4; ++i)
      smallest[i] =
          std::min(std::min(first[i], second[i]), std::min(first[i] << 32, second[i] << 32));
    const std::uint64_t least =
        std::min(std::min(smallest[0], smallest[1]), std::min(smallest[2], smallest[3]));
    blocks[n] =
        static_cast<std::uint8_t>(std::countl_zero(static_cast<std::uint32_t>(least >> 32)));
  }
}

}  // namespace outrider
