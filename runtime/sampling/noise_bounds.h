#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/gumbel_noise.h"

namespace outrider::sampling {

/// Upper bounds of the Gumbel noise of blocks of tokens, for the last positions of one sequence. A token whose score plus
/// bound is below the best sum so far cannot be chosen, so its noise is not computed. Computing the bounds of a position
/// takes most of the time of a choice; the target and its drafters, which choose at the same positions, share them.
class NoiseBounds {
 public:
  /// @param vocab  tokens; 0: no bounds are kept
  NoiseBounds(std::uint64_t sequence_seed, int vocab);

  /// [vocab / GumbelNoise::kBlock, rounded up] for each block the leading zeros of its smallest upper half, for
  /// GumbelNoise::bound_of_zeros; empty where none are kept, or are not worth their time. Valid until the next call.
  /// @param position  at least 0
  /// @param tokens    that may be chosen
  std::span<const std::uint8_t> at(std::int64_t position, std::size_t tokens);

 private:
  /// More than a draft is long.
  static constexpr std::size_t kPositions = 32;

  std::uint64_t seed_;
  std::size_t blocks_;
  std::array<std::int64_t, kPositions> positions_;
  std::vector<std::uint8_t> zeros_;  // [kPositions, blocks_]
};

}  // namespace outrider::sampling
