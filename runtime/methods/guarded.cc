#include "runtime/methods/guarded.h"

#include <memory>
#include <utility>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/draft/guarded.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/machine_costs.h"

namespace outrider::methods {

PreparedMethod::NewDrafter guarded(const MethodTarget& target, const std::string& artifacts,
                                   const std::string& guard, double step_share,
                                   PreparedMethod::NewDrafter drafter) {
  constexpr int kMostRows = 64;
  if (guard != "on") return drafter;
  const auto known = known_artifacts(target, artifacts);
  const auto costs = machine_costs(target, *known);
  if (!costs) return drafter;
  const draft::DraftPrices prices = {length_costs(*costs, kMostRows, target.model().config.context),
                                     step_share};
  return [prices, drafter = std::move(drafter)] {
    return std::make_unique<draft::Guarded>(drafter(), prices);
  };
}

}  // namespace outrider::methods
