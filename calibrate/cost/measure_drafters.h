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

/// Times what drafters do in a step: drafting, observing the pass and hearing what it kept. They take
/// turns behind each context, in another order each time. The text is made up; its tokens are as
/// unevenly frequent as words are, for what a drafter has to do depends on how often tokens come back.
/// @param contexts  with room in the model's for a few tokens more
/// @param go_on     told how many turns of all drafters are done, of contexts times rounds
/// @throws Interrupted when `go_on` wished so
cost::DrafterCosts measure_drafters(engine::Engine& engine, std::vector<NamedDrafter> drafters,
                                    std::vector<int> contexts, int rounds,
                                    const std::function<bool(int)>& go_on);

}  // namespace outrider::calibrate
