#pragma once

#include <cstdint>
#include <vector>

namespace outrider::draft {

/// The first and last occurrences of runs of tokens, found by their hashes in O(1). The runs
/// themselves are those of its owner, who compares them. Reuse allocates nothing for as many runs
/// as before.
class GramIndex {
 public:
  static constexpr int kNone = -1;

  /// Nodes with which a run ends.
  struct Occurrences {
    int first = kNone;
    int last = kNone;
  };

  /// Forgets all runs, in time proportional to their number.
  void clear();

  /// The occurrences of a run, without any if it is new; until the next call.
  /// @param same  whether the run that ends with this node is the one looked for
  template <typename Same>
  Occurrences& of(std::uint64_t hash, const Same& same) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1)) {
      ++probes_;
      Entry& entry = entries_[static_cast<std::size_t>(slots_[slot])];
      if (entry.hash == hash && same(entry.occurrences.first)) return entry.occurrences;
    }
    slots_[slot] = static_cast<int>(entries_.size());
    entries_.push_back({hash, slot, {}});
    return entries_.back().occurrences;
  }

  /// Entries looked at, and moved to larger tables, so far.
  std::int64_t probes() const { return probes_; }

 private:
  struct Entry {
    std::uint64_t hash;
    std::size_t slot;
    Occurrences occurrences;
  };
  void grow();

  std::vector<Entry> entries_;
  std::vector<int>
      slots_;  // indices of entries, or kNone; a power of two of them, at most half in use
  std::int64_t probes_ = 0;
};

}  // namespace outrider::draft
