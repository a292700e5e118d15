#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/cost/statistics.h"
#include "runtime/draft/parallelspec/medusa_heads_passes.h"
#include "runtime/engine/engine.h"

namespace outrider::cost {

struct StepTimes {
  Spread draft;   // of a step of the draft model, seconds
  Spread target;  // of a pass of the target over one row
};

/// A model that drafts.
struct DraftModel {
  std::shared_ptr<engine::Engine> engine;
  std::vector<Token> head_tokens;                      // as model::Model
  int most_choices = std::numeric_limits<int>::max();  // tokens chosen after a pass
  int passes =
      2;  // of a round that are timed: the first finds little of the model in the caches; 1: it drafts no chains
  /// Medusa's heads, in place of the engine's passes: as many of them as a pass would have rows, and at most all.
  std::shared_ptr<draft::MedusaHeadsPasses> heads = {};
};

/// Both alternating, as in decoding: a machine that slows down for a while slows both, and each finds the
/// caches as the other left them. A step is a pass over one row and the choice of a token, with noise as at
/// temperature 1; its time is the mean of DraftModel::passes. Where an engine drafts chains at once, steps of one row are
/// such a chain, of as many tokens as are drafted before a rule looks at them.
/// @param context  tokens before the rows
/// @param rounds   of a pass and the steps
/// @param rows     of the draft model's passes, after each of which a token is chosen, as far as it chooses so many
StepTimes time_steps(engine::Engine& target, const DraftModel& draft, int context, int rounds = 40,
                     int rows = 1);

}  // namespace outrider::cost
