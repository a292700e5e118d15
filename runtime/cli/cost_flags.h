#pragma once

#include <memory>
#include <string>

#include "runtime/cost/quick_costs.h"

namespace outrider::cli {

class CommandOptions;

/// The source of the pass times that defaults depend on.
struct CostFlags {
  std::string costs = "quick";  // or "stored"
};

/// --costs
void declare_cost_flags(CommandOptions& command, CostFlags& flags);

/// The costs for methods::MethodTarget. @return nullptr for "stored"
std::shared_ptr<cost::QuickCosts> quick_costs(const CostFlags& flags, bool quiet);

}  // namespace outrider::cli
