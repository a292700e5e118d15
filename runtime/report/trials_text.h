#pragma once

#include <string>
#include <vector>

#include "runtime/cost/trials.h"

namespace outrider::report {

/// A trial's settings as the flags that give them: "--children 2 --draft-length 4".
std::string flags_text(const std::vector<std::string>& names, const cost::Trial& trial);

/// What is chosen of priced trials, and the fastest chain, as a table with a head for people.
/// @param label  of the row that is chosen
std::string chosen_text(const cost::TemperatureTrials& priced,
                        const std::vector<std::string>& names, const cost::Preference& preference,
                        const std::string& label = "chosen");

/// What passes cost on a machine.
struct PricesOn {
  std::string machine;
  cost::CostModel passes;
  cost::DraftingCost drafting;
};

/// Trials for people: what is chosen on each machine whose costs are known, else what gives the most tokens a pass; where
/// they differ in two numbers at most, a table of all.
std::string trials_text(cost::Trials trials, const std::vector<PricesOn>& machines,
                        const cost::Preference& preference);

}  // namespace outrider::report
