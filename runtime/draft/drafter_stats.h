#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// Counts and times of the rounds whose passes verified nodes of one drafter, or had no draft.
struct DrafterResults {
  std::string name;           // of the drafter; kNoDrafter: without a draft
  std::int64_t passes = 0;    // with nodes of it
  std::int64_t drafted = 0;   // nodes that the target was asked about
  std::int64_t accepted = 0;  // of those
  // Times; those of a round with nodes of several drafters are divided in proportion to them.
  double verify_seconds = 0;  // the target's passes
  double sample_seconds = 0;  // its choices
  double other_seconds = 0;   // all else but drafting: handing out tokens, the KV cache
};

/// The results of each drafter in a text, read from the trees, whose nodes name their drafters.
class DrafterStats {
 public:
  static constexpr const char* kNoDrafter = "none";

  DrafterStats();

  /// Starts another text.
  void clear() { entries_.clear(); }
  /// Counts a round. @param path  the accepted nodes, from the root
  void add(const TokenTree& tree, std::span<const int> path, double verify_seconds,
           double sample_seconds, double other_seconds);

  /// The results in the order of the first passes. Call it before the drafters are destroyed.
  std::vector<DrafterResults> results() const;

 private:
  struct Entry {
    const Drafter* drafter;
    DrafterResults results;  // still without the name
    int nodes;               // of the pass
  };
  Entry& of(const Drafter* drafter);

  std::vector<Entry> entries_;
};

}  // namespace outrider::draft
