#pragma once

#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// The paper's P: positions j < t that hold the same token as t, the last position of `text`;
/// ascending. What follows any of them may follow here. PLD+ (Somasundaram et al. 2024), eq. 1.
std::vector<int> copy_sources(std::span<const Token> text);

/// A source and how well it is liked.
struct RankedSource {
  int position;
  float score;
};

/// The tokens that follow `source` in `text`, at most `length` of them; the text's last token may be
/// the last of these.
std::span<const Token> copied(std::span<const Token> text, int source, int length);

/// The same as a draft below the text's last token.
TokenTree copied_draft(std::span<const Token> text, int source, int length);

}  // namespace outrider::draft
