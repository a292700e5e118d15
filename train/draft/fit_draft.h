#pragma once

#include <span>

#include "data/trace.h"
#include "runtime/engine/engine.h"
#include "train/draft/draft_objective.h"

namespace outrider::train {

/// What a draft began with.
struct DraftFit {
  std::vector<double> scales;  // [layers] factor of each layer's outputs
  double ridge = 0;            // of the least squares, of the mean square of a state's number
  double loss = 0;             // mean loss of the tokens that were held out
  std::int64_t tokens = 0;
};

/// Fits a draft whose layers are the target's to the target: the map before the head, by ridge least squares
/// from the draft's states to the target's after the final norm; and a factor for what each layer adds to
/// the residual stream, since layers meant for more layers after them add too much. Factors and ridge are
/// those with the least loss on the last quarter of the tokens when the map is solved on the others.
/// @param target  with the numerics that serve
/// @param traces  of some thousand output tokens with a loss in all
/// @throws InputError if there is no such token
DraftFit fit_draft(DraftObjective& objective, engine::Engine& target,
                   std::span<const data::Trace> traces);

}  // namespace outrider::train
