#include "runtime/draft/ngram/recycled_rows.h"

#include <algorithm>

namespace outrider::draft {
namespace {

std::uint64_t key_of(Token before, Token token) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(before)) << 32 |
         static_cast<std::uint32_t>(token);
}

/// Fibonacci hashing: the upper bits of the product.
std::size_t slot_of(std::uint64_t key, int bits) {
  return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15U >> (64 - bits));
}

}  // namespace

RecycledRows::RecycledRows(int top)
    : top_(static_cast<std::size_t>(top)),
      slots_(std::size_t{1} << kSlotBits),
      tokens_(slots_.size() * top_),
      logits_(tokens_.size()) {}

void RecycledRows::clear() { std::fill(slots_.begin(), slots_.end(), Slot()); }

void RecycledRows::put(Token before, Token token, std::span<const sampling::RankedToken> next) {
  const std::uint64_t key = key_of(before, token);
  const std::size_t slot = slot_of(key, kSlotBits);
  slots_[slot] = {key, std::min(next.size(), top_)};
  for (std::size_t i = 0; i < slots_[slot].tokens; ++i) {
    tokens_[slot * top_ + i] = next[i].token;
    logits_[slot * top_ + i] = static_cast<float>(next[i].value);
  }
}

RecycledRows::Row RecycledRows::find(Token before, Token token) const {
  const std::uint64_t key = key_of(before, token);
  const std::size_t slot = slot_of(key, kSlotBits);
  if (slots_[slot].key != key) return {};
  const std::size_t tokens = slots_[slot].tokens;
  return {std::span(tokens_).subspan(slot * top_, tokens),
          std::span(logits_).subspan(slot * top_, tokens)};
}

}  // namespace outrider::draft
