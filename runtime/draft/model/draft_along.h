#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "runtime/engine/engine.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::draft {

/// Called for each token of a text. @param position  of the token in the text
/// @param drawn   what the draft model draws in its place, and its lead
/// @param logits  [tokens that can be drafted] of the row before it
using OnDrawn = std::function<void(std::size_t position, sampling::ChosenToken drawn,
                                   std::span<const float> logits)>;

/// Draws in place of each token of a text, after the text's own tokens before it, what a draft model would
/// draft there: the bits of its logits do not depend on what it drafted before.
/// @param choice    over the first `tokens` rows of its head
/// @param text      as far as it exceeds the model's context, nothing is drawn
/// @param first     the position of the first token to draw for, at least 1
/// @param sampling  of the text; its counts are those of the tokens before `first`
void draft_along(engine::Engine& draft, sampling::TokenChoice& choice, std::size_t tokens,
                 std::span<const Token> text, int first, const sampling::SequenceSampling& sampling,
                 const OnDrawn& on_drawn);

}  // namespace outrider::draft
