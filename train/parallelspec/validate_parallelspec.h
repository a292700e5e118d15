#pragma once

#include <span>

#include "data/trace.h"
#include "train/parallelspec/group_drafter.h"
#include "train/trainer/objective.h"

namespace outrider::train {

/// What a parallel drafter is worth on the target's own text: of each trace at most 64 consecutive output
/// tokens, the same in every call. Figures, with tokens in loops apart:
///   tokens_per_pass_t0        at temperature 0: rounds that follow each other on the text, each the tokens
///                             that agree with the target's choices, in a row, and the target's own
///   tokens_per_pass.TASK      the same of a task
///   tokens_per_pass_t1        above temperature 0: the mean over all tokens of 1 + Σ_n Π_s≤n of the
///                             probability that slot s draws the target's token with the same noise
///   agreement.S, acceptance.S of slot S, whatever the slots before it
///   coverage                  share of the output tokens with a head row
/// EAGLE-AR is validated by the first token of its drafts alone: tokens_per_pass_of_one_draft_t0 and so on.
/// The score is the mean of the first and the third, as far as there are such traces.
Validation validate_parallelspec(const GroupDrafter& drafter, std::span<const data::Trace> traces,
                                 int most_context, Precision precision);

}  // namespace outrider::train
