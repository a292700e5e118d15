#pragma once

#include <string>

#include "runtime/artifacts/drafter_costs.h"

namespace outrider {

/// Microseconds of a step by drafter and context, with their spread, for a person.
std::string drafter_costs_text(const artifacts::DrafterCosts& costs);

}  // namespace outrider
