#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::draft {

/// Counts of the continuations of each n-gram of a text. A new token completes exactly one
/// (query + length)-gram, so adding it takes constant time, and so do lookups. N-Grammys (Stewart et al.
/// 2024), the context n-gram.
class NgramIndex {
 public:
  /// A continuation: `length` tokens of the text.
  struct Continuation {
    int count;           // occurrences after the query
    std::size_t latest;  // begin of the latest occurrence
  };

  /// @param query   tokens looked up, at least 1
  /// @param length  tokens of a continuation, at least 1; shorter ones do not count
  /// @param most    ranked continuations per query
  NgramIndex(int query, int length, int most);

  /// Adds the new tokens of `text`, which must begin with those added before.
  void extend(std::span<const Token> text);
  void clear();

  /// The continuations of the text's last `query` tokens, at most `most`: by count, then the latest.
  std::vector<Continuation> of_suffix() const;

 private:
  using Hash = std::uint64_t;

  Hash hash(std::size_t first, std::size_t count) const;
  void complete_gram();
  void promote(std::vector<const Continuation*>& best, const Continuation* one) const;

  std::size_t query_;
  std::size_t length_;
  std::size_t most_;
  std::vector<Token> text_;
  std::unordered_map<Hash, Continuation> grams_;                     // by query and continuation
  std::unordered_map<Hash, std::vector<const Continuation*>> best_;  // by query
};

}  // namespace outrider::draft
