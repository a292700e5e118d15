#pragma once

#include <functional>
#include <optional>
#include <span>

#include "calibrate/answers/answer.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// The paper's r*: where in the prompt text[t] was copied from, if it occurs there. Of its occurrences
/// the one preceded by the longest run of the same tokens that precede t; the latest among equals.
/// PLD+ (Somasundaram et al. 2024), section 4.2.1.
/// @param t  a position in the answer
std::optional<int> copied_from(const Answer& answer, int t);

/// How many tokens of the answer were copied from its prompt, loops left out.
std::int64_t copied_tokens(const Answer& answer);

/// Told of a pass over a stretch of a text. @param first  the position of its first row
using OnRows = std::function<void(const engine::Pass& pass, int first)>;

/// Forwards the text in one context, some rows at a time, and shows what was requested of every row from
/// `first` on.
/// @param with_logits  from which row on logits are handed out as well; without it of none
void forward_tapped(engine::Engine& target, std::span<const Token> text, int first,
                    const engine::TapRequest& request, const OnRows& on_rows,
                    std::optional<int> with_logits = std::nullopt);

}  // namespace outrider::calibrate
