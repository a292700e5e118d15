#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "runtime/engine/engine.h"
#include "runtime/sampling/chooser.h"

namespace outrider::draft {

/// Called for each token of a text. @param position  of the token in the text
/// @param drawn  what the draft model draws in its place
/// @param row    before it
using OnDrawn = std::function<void(std::size_t position, const sampling::DraftAnswer& drawn,
                                   const engine::LogitsRow& row)>;

/// Draws in place of each token of a text, after the text's own tokens before it, what a draft model would
/// draft there: the bits of its logits do not depend on what it drafted before.
/// @param chooser   of the draft model
/// @param question  about each row; its row and position are filled in
/// @param text      as far as it exceeds the model's context, nothing is drawn
/// @param first     the position of the first token to draw for, at least 1
/// @param sampling  of the text; its counts are those of the tokens before `first`
void draft_along(engine::Engine& draft, sampling::Chooser& chooser,
                 sampling::DraftQuestion question, std::span<const Token> text, int first,
                 const sampling::SequenceSampling& sampling, const OnDrawn& on_drawn);

}  // namespace outrider::draft
