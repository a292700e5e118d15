#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// Results of the drafts of one source; numbers of passes by rank, from 0, up to the last one that is not 0.
struct RowCounts {
  std::vector<std::int64_t> allotted;        // with a draft of this rank
  std::vector<std::int64_t> drafted_tokens;  // of those drafts, before merging
  std::vector<std::int64_t> accepted;  // with this draft the first of those that agree the furthest
  std::vector<std::int64_t> accepted_tokens;
  std::vector<std::int64_t> passes_by_accepted;  // by accepted tokens instead; [0] is 0

  bool operator==(const RowCounts&) const = default;
};

/// Acceptance by draft of the trees. Only one draft of a pass is credited, the first of those that agree
/// with the text the furthest. N-Grammys (Stewart et al. 2024),
/// figure 4.
struct RowStats {
  std::array<RowCounts, kSources> by_source;  // empty counts: without a draft
  std::int64_t tokens = 0;                    // of all drafts, before merging
  std::int64_t nodes = 0;                     // of their trees, without roots

  const RowCounts& of(Source source) const { return by_source[static_cast<std::size_t>(source)]; }
  RowCounts& of(Source source) { return by_source[static_cast<std::size_t>(source)]; }

  /// Makes room for this many drafts of each source in a pass, and accepted tokens, so that counting them
  /// allocates nothing.
  void reserve(int drafts, int accepted);
  /// Counts from 0 again, in the same memory.
  void clear();
  /// Counts one pass. @param path  the accepted nodes, from the root
  void add(const TokenTree& tree, std::span<const int> path);
  void add(const RowStats& other);

  bool operator==(const RowStats&) const = default;
};

}  // namespace outrider::draft
