#pragma once

#include <span>

#include "data/trace.h"
#include "train/parallel/parallel_objective.h"

namespace outrider::train {

/// What a parallel drafter began with.
struct ParallelFit {
  std::int64_t rows = 0;  // that it was fitted to
  double explained = 0;   // of the variance of the wanted states, by fc alone; EAGLE only
};

/// Gives a drafter with a layer what it begins with. EAGLE's fc is solved by ridge least squares from the real rows'
/// inputs to the target's states of the next row; these are divided by the final norm's weight, if there is
/// one, as the residual stream is before it. What the layer adds, attention and feed-forward network
/// each, is scaled to `added` of the residual stream's root mean square: the target's last layer writes into
/// a far longer stream. balance_layer then gives its weights similar sizes. Masks begin with the mean of what real rows read.
/// @param traces  with states, where the drafter reads any
/// @throws InputError if there are too few tokens
ParallelFit fit_parallel(ParallelObjective& objective, std::span<const data::Trace> traces,
                         double added = 0.15);

/// Begins the masks alone as fit_parallel does: of a drafter whose layer was trained without, or of one for
/// export.
void fit_masks(ParallelObjective& objective, std::span<const data::Trace> traces);

}  // namespace outrider::train
