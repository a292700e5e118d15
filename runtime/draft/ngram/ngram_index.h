#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::draft {

/// What followed each n-gram of a text so far, counted. A new token completes exactly one
/// (query + length)-gram, so adding it costs the same however long the text is, and so does asking.
/// N-Grammys (Stewart et al. 2024), the context n-gram.
class NgramIndex {
 public:
  /// A continuation: `length` tokens of the text.
  struct Continuation {
    int count;           // how often it followed the query
    std::size_t latest;  // where it began the last time
  };

  /// @param query   tokens looked up, at least 1
  /// @param length  tokens of a continuation, at least 1; shorter ones do not count
  /// @param most    continuations kept in order for each query
  NgramIndex(int query, int length, int most);

  /// Takes in what `text` has beyond the tokens seen; it must begin with those.
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
