#pragma once

#include <string>

#include "runtime/cost/tree_settings.h"

namespace outrider::report {

/// The fastest tree and the fastest chain of each temperature, for people.
std::string tree_settings_text(const cost::MachineTreeSettings& settings);

}  // namespace outrider::report
