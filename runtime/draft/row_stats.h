#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// What became of the drafts of one source; passes, by rank from 0.
struct RowCounts {
  std::vector<std::int64_t> allotted;  // had a row of this rank
  std::vector<std::int64_t> accepted;  // and it was the first of those that agreed the furthest
  std::vector<std::int64_t> accepted_tokens;
  std::map<int, std::int64_t> passes_by_accepted;  // how many passes accepted so many tokens of it

  bool operator==(const RowCounts&) const = default;
};

/// Which of the drafts that trees were made of were right. Only one draft of a pass is credited, the
/// first of those that agree with the text for equally many tokens. N-Grammys (Stewart et al. 2024),
/// figure 4.
struct RowStats {
  std::map<Source, RowCounts> by_source;
  std::int64_t tokens = 0;  // of all drafts, however much of it the tree shares

  /// Counts one pass. @param path  the nodes that were accepted, from the root on
  void add(const TokenTree& tree, std::span<const int> path);
  void add(const RowStats& other);
};

}  // namespace outrider::draft
