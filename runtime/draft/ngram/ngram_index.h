#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/ngram/hash_numbers.h"

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

  /// Makes room for a text of this many tokens: adding them allocates nothing. Takes some 60 bytes per token, and 4
  /// for each of its ranked continuations, of which only what is used is touched.
  void reserve(std::size_t tokens);
  std::int64_t bytes(int tokens) const;
  /// Adds the new tokens of `text`, which must begin with those added before.
  void extend(std::span<const Token> text);
  /// Starts another text, in the same memory.
  void clear();

  /// The continuations of the text's last `query` tokens, at most `most`: by count, then the latest.
  /// @param found  gets them; a buffer
  void of_suffix(std::vector<Continuation>& found) const;

 private:
  static constexpr int kNone = HashNumbers::kNone;

  HashNumbers::Hash hash(std::size_t first, std::size_t count) const;
  void complete_gram();
  void promote(std::span<int> ranked, int number) const;
  const Continuation& gram(int number) const { return grams_[static_cast<std::size_t>(number)]; }

  std::size_t query_;
  std::size_t length_;
  std::size_t most_;
  std::vector<Token> text_;
  HashNumbers gram_numbers_;         // of queries with their continuations
  std::vector<Continuation> grams_;  // by number
  HashNumbers query_numbers_;
  std::vector<int> ranked_;  // [queries, most] numbers of their best n-grams, then kNone
};

}  // namespace outrider::draft
