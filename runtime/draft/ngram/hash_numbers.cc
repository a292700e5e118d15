#include "runtime/draft/ngram/hash_numbers.h"

#include <algorithm>
#include <bit>

namespace outrider::draft {

void HashNumbers::reserve(std::size_t hashes) {
  hashes_.reserve(hashes);
  if (slots_.size() >= 2 * hashes) return;
  slots_.assign(std::bit_ceil(2 * hashes), kNone);
  for (std::size_t number = 0; number < hashes_.size(); ++number)
    slots_[slot_of(hashes_[number])] = static_cast<int>(number);
}

void HashNumbers::clear() {
  hashes_.clear();
  std::fill(slots_.begin(), slots_.end(), kNone);
}

int HashNumbers::find(Hash hash) const { return slots_.empty() ? kNone : slots_[slot_of(hash)]; }

int HashNumbers::add(Hash hash) {
  if (slots_.size() < 2 * (size() + 1)) reserve(2 * (size() + 1));
  int& number = slots_[slot_of(hash)];
  if (number != kNone) return number;
  number = static_cast<int>(size());
  hashes_.push_back(hash);
  return number;
}

/// The slot of a hash, or the free one that it would have.
std::size_t HashNumbers::slot_of(Hash hash) const {
  const std::size_t last = slots_.size() - 1;
  std::size_t slot = hash & last;
  while (slots_[slot] != kNone && hashes_[static_cast<std::size_t>(slots_[slot])] != hash)
    slot = (slot + 1) & last;
  return slot;
}

}  // namespace outrider::draft
