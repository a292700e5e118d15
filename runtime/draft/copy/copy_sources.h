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
  float score;      // says how far to trust it, too: thresholds and lengths of drafts go by it
  float bonus = 0;  // added to the score where sources are compared, and there only
};

/// Gives each source, as a bonus, `weight` times the logit of the token that a copy begins with. What the
/// target thought likely in place of the last token is often what it says soon.
/// @param logits  [vocab] of the row before the text's last token, the one that chose it
void add_logits(std::span<const Token> text, std::span<const float> logits, double weight,
                std::vector<RankedSource>& scored);

/// The source with the largest score and bonus, then the one among those that go on with another token than
/// any taken before, and so on: at most `most`. The latest among equals.
std::vector<RankedSource> best_sources(std::span<const Token> text,
                                       std::span<const RankedSource> scored, int most);

/// How many of the last tokens of `text` stand up to `source`, itself included, as well; at most `most`.
/// @param source  a position in `text`, or -1, before all of it
int matching_tokens(std::span<const Token> text, int source, int most);

/// Drafts below the root, the text's last token: what follows each source in `text`, at most `length`
/// tokens; the text's last token may be the last of these. The sources in turn, as far as the tree has
/// room.
void add_copies(TokenTree& tree, std::span<const Token> text, std::span<const RankedSource> sources,
                int length);

}  // namespace outrider::draft
