#include "runtime/sampling/token_mask.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace outrider::sampling {

bool allows_any(TokenMask mask) {
  return mask.empty() ||
         std::any_of(mask.begin(), mask.end(), [](std::uint32_t word) { return word != 0; });
}

std::span<const float> masked(std::span<const float> logits, TokenMask mask,
                              std::vector<float>& room) {
  if (mask.empty()) return logits;
  if (mask.size() != mask_words(logits.size()))
    throw std::logic_error("masked: the mask is not of these logits");
  room.assign(logits.size(), -std::numeric_limits<float>::infinity());
  for (std::size_t word = 0; word < mask.size(); ++word) {
    for (std::uint32_t left = mask[word]; left != 0; left &= left - 1) {
      const std::size_t token = 32 * word + static_cast<std::size_t>(std::countr_zero(left));
      if (token < logits.size()) room[token] = logits[token];
    }
  }
  return room;
}

}  // namespace outrider::sampling
