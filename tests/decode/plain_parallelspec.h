#pragma once

#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/parallelspec/parallelspec_model.h"

namespace outrider::test {

/// ParallelSpec's drafter in plain loops and double precision, without caches: the logits [head rows] of
/// the tokens after a text, one row for each that the drafter drafts at once. Shares no code with the
/// runtime's but for reading weights.
/// @param states   the target's states after its final norm, of all tokens of the text but the last
/// @param drafted  of EAGLE-AR: the tokens that are drafted; the logits after each of them are added
std::vector<std::vector<double>> plain_parallelspec_logits(
    const draft::ParallelSpecModel& model, std::span<const Token> text,
    const std::vector<std::vector<float>>& states, std::span<const Token> drafted = {});

}  // namespace outrider::test
