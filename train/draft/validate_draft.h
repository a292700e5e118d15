#pragma once

#include <span>

#include "data/trace.h"
#include "train/draft/draft_model.h"
#include "train/trainer/objective.h"

namespace outrider::train {

/// How well a draft predicts the target on the target's own text, tokens in loops apart. In f32.
/// Figures:
///   agreement, agreement.TASK   at temperature 0: share of the target's choices that the draft has too; a
///                               token without a head row is a miss
///   agreement_mean              the mean of the tasks
///   acceptance                  above temperature 0: probability that draft and target draw the same token
///                               with the same noise, Σ_v 1 / Σ_w max(p_w / p_v, q_w / q_v); of the stored
///                               tokens, with all others as one w, so a little too high
///   coverage                    share of the output tokens with a head row
///   kl                          mean divergence from the target, in nats, others in one bucket
///   accepted_t0, accepted_t1    draft tokens accepted in a round of 4: at temperature 0 rounds as they
///                               would have followed each other on the text; above, the mean over all
///                               positions of Σ_n Π acceptance
/// The score is the mean of the last two, as far as there are such traces.
Validation validate_draft(const DraftModel& draft, std::span<const data::Trace> traces,
                          int most_context);

}  // namespace outrider::train
