#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "runtime/base/math.h"
#include "runtime/base/philox.h"
#include "runtime/base/portable.h"
#include "runtime/base/token.h"

namespace outrider {

/// The use of random numbers. Streams of different uses are independent: a drafter's draws must not depend
/// on the target's, unless it uses the target's own noise.
enum class RandomUse : std::uint64_t { kChoice = 0, kDraft = 1, kAccept = 2, kResidual = 3 };

/// The Gumbel noise of one position of one sequence: a number for every token of the vocabulary, a
/// function of (sequence seed, use, position, token), and so the same for every caller.
///
/// u = (bits + 1/2) / 2^64 with 64 bits of Philox4x64-10, g = -log(-log1p(-u)). The largest g, which
/// decides, comes from the smallest u, where doubles are finest; fewer bits would tie and bias it.
class GumbelNoise {
 public:
  OUTRIDER_HD constexpr GumbelNoise(std::uint64_t sequence_seed, std::int64_t position,
                                    RandomUse use = RandomUse::kChoice)
      : seed_(sequence_seed), position_(static_cast<std::uint64_t>(position)), use_(use) {}

  /// The 64 bits of a token.
  OUTRIDER_HD constexpr std::uint64_t bits(Token token) const {
    return static_cast<std::uint64_t>(upper_half(token)) << 32 | half_of(token, kLower);
  }
  /// g; finite.
  OUTRIDER_HD constexpr double value(Token token) const { return from_bits(bits(token)); }
  OUTRIDER_HD static constexpr double from_bits(std::uint64_t bits) {
    return -math::log(-math::log1p(-uniform(bits)));
  }
  /// u, below 1 also where it rounds.
  OUTRIDER_HD static constexpr double uniform(std::uint64_t bits) {
    // Sums may round up to 1: the largest double below keeps the noise finite.
    constexpr double kBelowOne = 1.0 - 0x1p-53;
    const double u = (static_cast<double>(bits) + 0.5) * 0x1p-64;
    return u < kBelowOne ? u : kBelowOne;
  }

  // A bound on g uses the upper 32 bits only, which are cheaper, and no logarithm.
  static constexpr int kBlock = 16;
  /// The upper halves of the bits of the tokens of a block.
  struct UpperHalves {
    std::uint32_t of[kBlock];
  };
  /// Of tokens [n * kBlock, (n + 1) * kBlock).
  OUTRIDER_HD constexpr UpperHalves upper_halves(std::int64_t n) const {
    const Words words = words_of_upper_halves(n);
    UpperHalves halves = {};
    for (int i = 0; i < kBlock; ++i)
      halves.of[i] = half_in(words.of[i / kOfOneCounter], i % kOfOneCounter);
    return halves;
  }
  OUTRIDER_HD constexpr std::uint32_t upper_half(Token token) const {
    return half_of(token, kUpper);
  }
  /// With z leading zeros -log1p(-u) >= u >= 2^-(z + 1), and so g <= (z + 1) log 2.
  OUTRIDER_HD static constexpr double bound(std::uint32_t upper_half) {
    return bound_of_zeros(std::countl_zero(upper_half));
  }
  OUTRIDER_HD static constexpr double bound_of_zeros(int zeros) {
    return zeros == 32 ? kMost : (zeros + 1) * kLn2RoundedUp;
  }
  /// The leading zeros of the smallest upper half of every block.
  void count_zeros(std::span<std::uint8_t> blocks) const;
  /// Upper bound of g.
  static constexpr double kMost = 65 * 0.6931471805599454;

 private:
  static constexpr double kLn2RoundedUp = 0.6931471805599454;

  static constexpr int kOfOneCounter = 8;  // tokens
  static_assert(kBlock == 2 * kOfOneCounter);
  enum Half : std::uint64_t { kUpper = 0, kLower = 1 };
  struct Words {
    PhiloxBlock of[2];
  };

  /// The block with the halves of tokens [n * kOfOneCounter, (n + 1) * kOfOneCounter).
  OUTRIDER_HD constexpr PhiloxBlock counter(std::int64_t n, Half half) const {
    return {{static_cast<std::uint64_t>(n), position_, half, 0}};
  }
  OUTRIDER_HD constexpr PhiloxKey key() const {
    return {{seed_, static_cast<std::uint64_t>(use_)}};
  }
  /// Selects instead of indexing: a GPU's registers have no index.
  OUTRIDER_HD static constexpr std::uint32_t half_in(const PhiloxBlock& block, int i) {
    const auto& words = block.words;
    const std::uint64_t first = (i & 2) != 0 ? words[1] : words[0];
    const std::uint64_t last = (i & 2) != 0 ? words[3] : words[2];
    return static_cast<std::uint32_t>(((i & 4) != 0 ? last : first) >> (i % 2 * 32));
  }
  OUTRIDER_HD constexpr std::uint32_t half_of(Token token, Half half) const {
    return half_in(philox4x64(counter(token / kOfOneCounter, half), key()), token % kOfOneCounter);
  }
  /// With the upper halves of block n, two a word.
  OUTRIDER_HD constexpr Words words_of_upper_halves(std::int64_t n) const {
    Words words = {{counter(2 * n, kUpper), counter(2 * n + 1, kUpper)}};
    philox4x64_each(words.of, key());
    return words;
  }

  std::uint64_t seed_;
  std::uint64_t position_;
  RandomUse use_;
};

}  // namespace outrider
