#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace outrider::cost {

/// A round of drafting on a text whose tokens are known.
struct AgreedRound {
  std::size_t begin;     // the token in whose place it drafts first
  std::size_t accepted;  // drafted tokens; the target adds one
};

/// Whether a round that begins at a token drafts so many tokens and one more, and that one is accepted.
using IsAccepted = std::function<bool(std::size_t begin, std::size_t drafted)>;

/// The rounds that follow each other on a text: each accepts the tokens that agree in a row, and the next one
/// begins after the token that the target adds. The last may end with the text, without such a token.
/// @param tokens  of the text, at which rounds begin
std::vector<AgreedRound> agreed_rounds(std::size_t tokens, const IsAccepted& is_accepted);

}  // namespace outrider::cost
