#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// Results of the drafts of one source; numbers of passes by rank, from 0.
struct RowCounts {
  std::vector<std::int64_t> allotted;        // with a draft of this rank
  std::vector<std::int64_t> drafted_tokens;  // of those drafts, before merging
  std::vector<std::int64_t> accepted;  // with this draft the first of those that agree the furthest
  std::vector<std::int64_t> accepted_tokens;
  std::map<int, std::int64_t> passes_by_accepted;  // numbers of passes by accepted tokens

  bool operator==(const RowCounts&) const = default;
};

/// Acceptance by draft of the trees. Only one draft of a pass is credited, the first of those that agree
/// with the text the furthest. N-Grammys (Stewart et al. 2024),
/// figure 4.
struct RowStats {
  std::map<Source, RowCounts> by_source;
  std::int64_t tokens = 0;  // of all drafts, before merging
  std::int64_t nodes = 0;   // of their trees, without roots

  /// Counts one pass. @param path  the accepted nodes, from the root
  void add(const TokenTree& tree, std::span<const int> path);
  void add(const RowStats& other);
};

}  // namespace outrider::draft
