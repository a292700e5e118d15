#pragma once

#include <cstdint>

#include "runtime/base/token.h"

namespace outrider::decode {

/// The Gumbel noise of one position of one sequence: a number per token of the vocabulary, made from
/// a counter and so the same whenever and by whomever it is asked for.
///
/// Each token's 64 bits come from SplitMix64 (Steele, Lea and Flood 2014) started at a hash of
/// sequence seed and position; u = (bits + 1/2) / 2^64; g = -log(-log1p(-u)).
class GumbelNoise {
 public:
  GumbelNoise(std::uint64_t sequence_seed, std::int64_t position);

  /// g of a token; finite.
  double value(Token token) const;
  /// A number that g does not exceed, without a logarithm: -log1p(-u) >= u gives g <= -log u.
  double bound(Token token) const;

 private:
  std::uint64_t bits(Token token) const;

  std::uint64_t state_;
};

/// The output function of SplitMix64: a bijection under which neighbours have nothing in common.
inline std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline std::uint64_t GumbelNoise::bits(Token token) const {
  return mix64(state_ + (static_cast<std::uint64_t>(token) + 1) * 0x9e3779b97f4a7c15u);
}

inline double GumbelNoise::bound(Token token) const {
  constexpr double kLn2 = 0.6931471805599454;  // rounded up
  const std::uint64_t b = bits(token);
  return (b == 0 ? 65 : __builtin_clzll(b) + 1) * kLn2;
}

}  // namespace outrider::decode
