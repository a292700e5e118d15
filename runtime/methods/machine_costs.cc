#include "runtime/methods/machine_costs.h"

#include "runtime/artifacts/cost.h"
#include "runtime/cost/quick_costs.h"

namespace outrider::methods {

std::optional<cost::CostModel> machine_costs(const MethodTarget& target,
                                             const artifacts::ArtifactSet& known) {
  if (auto stored = artifacts::measured_cost(known, target.engine())) return stored;
  if (target.quick_costs() == nullptr) return std::nullopt;
  return target.quick_costs()->passes(target.engine(), target.identity().model_hash);
}

draft::PldPlusSettings settings_here(const std::vector<draft::PldPlusSettings>& all,
                                     double temperature,
                                     const std::optional<cost::CostModel>& costs) {
  const draft::PldPlusSettings& found = draft::nearest_settings(all, temperature);
  if (!costs) return found;
  return draft::priced(found, [&](int rows) {
    return costs->seconds({cost::Shape::kChain, rows, found.context});
  });
}

}  // namespace outrider::methods
