#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::draft {

/// Finds the positions of a user's own texts where the last tokens of a text occur: a suffix array
/// (Manber and Myers 1993) of the texts read backwards, so that the positions of any n-gram are
/// neighbours. A look-up is a binary search; how often an n-gram occurs does not matter. Takes 8
/// bytes per token. Never changes; may be used by several threads.
class ReferenceIndex {
 public:
  /// Ends every text; no match and no continuation goes across it.
  static constexpr Token kEnd = -1;
  /// The longest match that is compared; longer ones count as this long.
  static constexpr int kLongest = 16;
  /// Positions of an n-gram that are compared at most, evenly spread over all of them.
  static constexpr int kCompared = 64;

  /// @param tokens  of the texts, kEnd after each; fewer than 2^32
  explicit ReferenceIndex(std::span<const Token> tokens);

  struct Match {
    int tokens = 0;                            // of the text that match; 0: none do
    std::span<const std::uint32_t> positions;  // after the match, each of a token that is no end
  };
  /// The longest match of the last tokens of `text`. @param most  tokens, up to kLongest
  Match longest_match(std::span<const Token> text, int most) const;

  /// Tokens that follow a match: at each the most frequent one after those before it, of a tie the one that occurs
  /// last; as many as asked for, fewer at the end of a text.
  /// @param positions, continuation  buffers; the latter gets the tokens
  void follow(const Match& match, int tokens, std::vector<std::uint32_t>& positions,
              std::vector<Token>& continuation) const;

  /// Memory that it takes.
  std::size_t bytes() const {
    return tokens_.capacity() * sizeof(Token) + order_.capacity() * sizeof(std::uint32_t);
  }

 private:
  /// Tokens before a position and at the end of a text that are equal, at most `most`.
  int common(std::uint32_t position, std::span<const Token> text, int most) const;

  std::vector<Token> tokens_;
  std::vector<std::uint32_t> order_;  // positions, by the tokens before them read backwards
};

}  // namespace outrider::draft
