#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace outrider {

/// A token id, in [0, vocabulary size).
using Token = std::int32_t;

/// The number of tokens that two texts have in common at their beginnings.
inline std::size_t common_prefix(std::span<const Token> a, std::span<const Token> b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

}  // namespace outrider
