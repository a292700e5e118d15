#pragma once

#include <span>

#include "data/trace.h"
#include "runtime/engine/engine.h"
#include "train/draft/draft_objective.h"

namespace outrider::train {

/// What a draft began with.
struct DraftFit {
  std::vector<double> scales;  // [layers] factor of each layer's outputs
  double loss = 0;             // mean loss of the tokens it was fitted to
  std::int64_t tokens = 0;
};

/// Fits a draft whose layers are the target's to the target: the map before the head, by ridge least squares
/// from the draft's states to the target's after the final norm; and a factor for what each layer adds to
/// the residual stream, since layers meant for more layers after them add too much. The factors are
/// searched layer by layer, the map is solved for each.
/// @param target  with the numerics that serve
/// @param traces  of some thousand output tokens with a loss in all
/// @throws InputError if there is no such token
DraftFit fit_draft(DraftObjective& objective, engine::Engine& target,
                   std::span<const data::Trace> traces);

}  // namespace outrider::train
