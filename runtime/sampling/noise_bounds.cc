#include "runtime/sampling/noise_bounds.h"

namespace outrider::sampling {

NoiseBounds::NoiseBounds(std::uint64_t sequence_seed, int vocab)
    : seed_(sequence_seed),
      blocks_(static_cast<std::size_t>((vocab + GumbelNoise::kBlock - 1) / GumbelNoise::kBlock)),
      zeros_(kPositions * blocks_) {
  positions_.fill(-1);
}

std::span<const std::uint8_t> NoiseBounds::at(std::int64_t position, std::size_t tokens) {
  // Few tokens lie in few blocks, whose noise takes less time.
  if (tokens < blocks_) return {};
  const std::size_t place = static_cast<std::size_t>(position) % kPositions;
  const auto zeros = std::span(zeros_).subspan(place * blocks_, blocks_);
  if (positions_[place] != position) {
    GumbelNoise(seed_, position).count_zeros(zeros);
    positions_[place] = position;
  }
  return zeros;
}

}  // namespace outrider::sampling
