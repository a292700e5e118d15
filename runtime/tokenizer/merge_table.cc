#include "runtime/tokenizer/merge_table.h"

#include <bit>

namespace outrider::text {

MergeTable::MergeTable(std::size_t merges) : slots_(std::bit_ceil(2 * merges + 1)) {}

std::size_t MergeTable::locate(Token left, Token right) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
                            static_cast<std::uint32_t>(right);
  // Multiplicative hashing: the high half of the product depends on every bit of the key.
  std::size_t i = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32) & mask;
  while (slots_[i].merge.rank >= 0 && (slots_[i].left != left || slots_[i].right != right)) {
    i = (i + 1) & mask;
  }
  return i;
}

bool MergeTable::add(Token left, Token right, Merge merge) {
  Slot& slot = slots_[locate(left, right)];
  if (slot.merge.rank >= 0) return false;
  slot = {left, right, merge};
  return true;
}

Merge MergeTable::find(Token left, Token right) const { return slots_[locate(left, right)].merge; }

}  // namespace outrider::text
