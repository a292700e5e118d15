#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::sampling {

/// Which tokens of a vocabulary may be chosen: [vocab / 32, rounded up], token v where bit v % 32 of word v / 32 is
/// set. Empty: all may.
using TokenMask = std::span<const std::uint32_t>;

/// The words of a mask.
constexpr std::size_t mask_words(std::size_t vocab) { return (vocab + 31) / 32; }

/// Whether any token may be chosen.
bool allows_any(TokenMask mask);

/// The logits with -infinity for tokens that may not be chosen, so that no choice gives them and they have no
/// probability.
/// @param room  that they are written to; unused for an empty mask
/// @throws std::logic_error for a mask of another vocabulary
std::span<const float> masked(std::span<const float> logits, TokenMask mask,
                              std::vector<float>& room);

}  // namespace outrider::sampling
