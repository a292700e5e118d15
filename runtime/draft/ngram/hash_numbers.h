#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace outrider::draft {

/// Numbers hashes 0, 1, … in the order in which they come: what is known of them lies in vectors by number. A hash
/// table with open addressing and linear probing, so that it allocates nothing within what was reserved.
class HashNumbers {
 public:
  using Hash = std::uint64_t;
  static constexpr int kNone = -1;

  /// Makes room for this many hashes.
  void reserve(std::size_t hashes);
  /// The bytes that this takes.
  static std::size_t bytes(std::size_t hashes) {
    return hashes * sizeof(Hash) + std::bit_ceil(2 * hashes) * sizeof(int);
  }
  /// Forgets all hashes, in the same memory.
  void clear();

  std::size_t size() const { return hashes_.size(); }
  /// The number of a hash, or kNone.
  int find(Hash hash) const;
  /// The number of a hash: the next one if it is new.
  int add(Hash hash);

 private:
  std::size_t slot_of(Hash hash) const;

  std::vector<Hash> hashes_;  // by number
  std::vector<int> slots_;    // [a power of two, at least twice the hashes] numbers, or kNone
};

}  // namespace outrider::draft
