#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::draft {

/// The likeliest next tokens, by the target, of the rows that it forwarded, under the row's token and under the
/// token with the one before it. A later row replaces an earlier one of the same key, and, in a table of
/// fixed size, one whose key has the same slot; so that it never allocates.
class RecycledRows {
 public:
  /// Stands for the token before: the row is looked up by its own token alone.
  static constexpr Token kAny = -1;

  struct Row {
    std::span<const Token> tokens;  // best first; empty: there is none
    std::span<const float> logits;  // [tokens]
  };

  /// @param top  tokens kept of a row
  explicit RecycledRows(int top);

  void clear();
  /// @param next  the row's best, `top` at most; `value` is the logit
  void put(Token before, Token token, std::span<const sampling::RankedToken> next);
  Row find(Token before, Token token) const;

 private:
  struct Slot {
    std::uint64_t key = kFree;
    std::size_t tokens = 0;
  };
  static constexpr int kSlotBits = 14;
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // of no two tokens

  std::size_t top_;
  std::vector<Slot> slots_;
  std::vector<Token> tokens_;  // [slots, top]
  std::vector<float> logits_;  // [slots, top]
};

}  // namespace outrider::draft
