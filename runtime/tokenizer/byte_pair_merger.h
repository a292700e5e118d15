#pragma once

#include <cstdint>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/tokenizer/merge_table.h"

namespace outrider::text {

/// Merges the symbols of one word: always the pair of lowest rank, the leftmost on a tie. O(n log n) in
/// the word's length, by a priority queue. Buffers are reused between words; one instance per thread.
class BytePairMerger {
 public:
  explicit BytePairMerger(const MergeTable& table) : table_(table) {}

  /// Starts a new word; its symbols are then added in order.
  void begin() { symbols_.clear(); }
  void add(Token symbol);

  /// Merges, and appends the word's tokens to `tokens`.
  void finish(std::vector<Token>& tokens);

 private:
  struct Symbol {
    Token token;  // -1: merged into the previous symbol
    std::int32_t previous;
    std::int32_t next;  // -1: none
  };
  struct Candidate {
    std::int32_t rank;
    std::int32_t left;  // index of the left symbol
    Token result;
  };
  static bool later(const Candidate& a, const Candidate& b);

  /// Queues the pair that begins at `left`, if it has a merge.
  void consider(std::int32_t left);
  void merge(const Candidate& candidate);

  const MergeTable& table_;
  std::vector<Symbol> symbols_;
  std::vector<Candidate> queue_;  // a heap, earliest first; empty between words
};

}  // namespace outrider::text
