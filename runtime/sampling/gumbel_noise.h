#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "runtime/base/token.h"
#include "runtime/sampling/philox.h"

namespace outrider::sampling {

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
  GumbelNoise(std::uint64_t sequence_seed, std::int64_t position,
              RandomUse use = RandomUse::kChoice)
      : seed_(sequence_seed), position_(static_cast<std::uint64_t>(position)), use_(use) {}

  /// The 64 bits of a token.
  std::uint64_t bits(Token token) const;
  /// g; finite.
  double value(Token token) const { return from_bits(bits(token)); }
  static double from_bits(std::uint64_t bits);
  /// u, below 1 also where it rounds.
  static double uniform(std::uint64_t bits);

  // A bound on g uses the upper 32 bits only, which are cheaper, and no logarithm.
  static constexpr int kBlock = 16;
  /// The upper halves of the bits of tokens [n * kBlock, (n + 1) * kBlock).
  std::array<std::uint32_t, kBlock> upper_halves(std::int64_t n) const;
  std::uint32_t upper_half(Token token) const;
  /// With z leading zeros -log1p(-u) >= u >= 2^-(z + 1), and so g <= (z + 1) log 2.
  static double bound(std::uint32_t upper_half) {
    return bound_of_zeros(std::countl_zero(upper_half));
  }
  static double bound_of_zeros(int zeros) {
    return zeros == 32 ? kMost : (zeros + 1) * kLn2RoundedUp;
  }
  /// The leading zeros of the smallest upper half of every block.
  void count_zeros(std::span<std::uint8_t> blocks) const;
  /// Upper bound of g.
  static constexpr double kMost = 65 * 0.6931471805599454;

 private:
  static constexpr double kLn2RoundedUp = 0.6931471805599454;

  static constexpr int kOfOneCounter = 8;  // tokens
  enum Half : std::uint64_t { kUpper = 0, kLower = 1 };
  /// The block with the halves of tokens [n * kOfOneCounter, (n + 1) * kOfOneCounter).
  PhiloxBlock counter(std::int64_t n, Half half) const {
    return {static_cast<std::uint64_t>(n), position_, half, 0};
  }
  std::array<std::uint64_t, 2> key() const { return {seed_, static_cast<std::uint64_t>(use_)}; }
  std::uint32_t half_of(Token token, Half half) const;
  /// With the upper halves of block n, two a word.
  std::array<PhiloxBlock, 2> words_of_upper_halves(std::int64_t n) const;

  std::uint64_t seed_;
  std::uint64_t position_;
  RandomUse use_;
};

}  // namespace outrider::sampling
