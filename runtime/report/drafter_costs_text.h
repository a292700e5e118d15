#pragma once

#include <string>

#include "runtime/cost/drafter_costs.h"

namespace outrider::report {

/// Microseconds of a step by drafter and context, with their spread, for people.
std::string drafter_costs_text(const cost::DrafterCosts& costs);

}  // namespace outrider::report
