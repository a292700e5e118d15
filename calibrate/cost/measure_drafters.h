#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cost/drafter_costs.h"
#include "runtime/draft/drafter.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

struct NamedDrafter {
  std::string name;
  std::unique_ptr<draft::Drafter> drafter;
};

inline constexpr int kStepsOfATurn = 10;  // of each drafter

/// Times the work of drafters in a step: drafting, observing the pass and accepting its result.
/// Drafters take turns after each context, in another order each time. The text is synthetic with
/// token frequencies by Zipf's law, because the work of a drafter depends on how often tokens
/// repeat.
/// @param contexts  shorter than the model's by a few tokens
/// @param rounds    turns of every drafter after each context, as far as there is time
/// @param go_on     called with the number of finished turns, out of contexts times rounds
/// @param has_time  asked before each turn but the first, with the number of tokens that are new to the drafters;
///                  where it returns false, the context's turns are over
/// @throws Interrupted when `go_on` returned false
cost::DrafterCosts measure_drafters(engine::Engine& engine, std::vector<NamedDrafter> drafters,
                                    std::vector<int> contexts, int rounds,
                                    const std::function<bool(int)>& go_on,
                                    const std::function<bool(int)>& has_time);

}  // namespace outrider::calibrate
