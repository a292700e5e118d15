#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/sampling/sequence_sampling.h"
#include "runtime/sampling/token_choice.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::draft {

/// Ranks the few tokens that a table has after a token, as the target would if its logits were the table's:
/// after its penalties and filters, at its temperature, with its noise (sampling::TokenChoice::rank), so that
/// the two agree wherever their distributions do. Penalties are those of the text, not of a draft.
class TableChoice {
 public:
  TableChoice() : choice_(std::vector<Token>{0}) {}

  /// @param tokens    different ones, in any order, at least one
  /// @param logits    [tokens] natural logarithms of probabilities, or the same up to a constant; finite
  /// @param position  of the token to draft, as for TokenChoice
  /// @param most      how many are wanted, at least 1
  /// @return best first, as of TokenChoice::rank; valid until the next call
  std::span<const sampling::RankedToken> rank(const sampling::SequenceSampling& sampling,
                                              std::span<const Token> tokens,
                                              std::span<const float> logits, std::int64_t position,
                                              int most);

 private:
  sampling::TokenChoice choice_;
  std::vector<std::pair<Token, float>> sorted_;  // by id
  std::vector<Token> tokens_;
  std::vector<float> logits_;
  std::vector<sampling::RankedToken> ranked_;
};

}  // namespace outrider::draft
