#pragma once

#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/drafter.h"
#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// The sources of a text (the paper's P): positions j < t with the same token as t, the last position of
/// `text`; ascending. A draft copies what follows one of them. PLD+ (Somasundaram et al. 2024), eq. 1.
/// @param sources  gets them; a buffer, as of the functions below, so that steps allocate nothing
void copy_sources(std::span<const Token> text, std::vector<int>& sources);

/// A source and its score.
struct RankedSource {
  int position;
  float score;      // also compared with thresholds, and used for draft lengths
  float bonus = 0;  // added to the score for ranking only
};

/// Sets the bonus of each source to `weight` times the logit of the first token that would be copied. Tokens
/// that were likely in place of the last token are often generated soon after. Above temperature 0 the
/// temperature times the target's noise at the token's own position is added to the logit: of two sources
/// alike the target takes the one that its noise prefers.
/// @param logits  [vocab] of the row before the text's last token, from which it was chosen
void add_logits(const DraftContext& context, std::span<const float> logits, double weight,
                std::vector<RankedSource>& scored);

/// The source with the largest score plus bonus, then the best one with a next token different from those of
/// the sources before it, and so on: at most `most`, into `best`. On a tie the latest.
void best_sources(std::span<const Token> text, std::span<const RankedSource> scored, int most,
                  std::vector<RankedSource>& best);

/// How many tokens up to `source`, itself included, equal the last tokens of `text`; at most `most`.
/// @param source  a position in `text`, or -1, before its first token
int matching_tokens(std::span<const Token> text, int source, int most);

/// Adds a draft per source below the root, the text's last token: what follows the source in `text`, at most
/// `length` tokens, up to and including the text's last token; in order of sources, within the tree's
/// limits.
void add_copies(TokenTree& tree, std::span<const Token> text, std::span<const RankedSource> sources,
                int length);

}  // namespace outrider::draft
