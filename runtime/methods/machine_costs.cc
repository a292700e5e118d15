#include "runtime/methods/machine_costs.h"

#include <algorithm>

#include "runtime/artifacts/cost_group.h"
#include "runtime/cost/quick_costs.h"

namespace outrider::methods {

std::optional<cost::CostModel> machine_costs(const MethodTarget& target,
                                             const artifacts::ArtifactSet& known) {
  auto passes = artifacts::measured_cost(known, target.engine());
  if (!passes && target.quick_costs() != nullptr)
    passes = target.quick_costs()->passes(target.engine(), target.identity().model_hash);
  if (!passes) return std::nullopt;
  return passes->of_each(target.sequences());
}

std::vector<draft::LengthCosts> length_costs(const cost::CostModel& costs, int longest, int context,
                                             cost::Shape shape) {
  constexpr int kShortest = 192;  // tokens
  std::vector<draft::LengthCosts> by_text;
  for (int from = 0; from < context; from = std::max(kShortest, 2 * from)) {
    const int usual = from == 0 ? kShortest * 2 / 3 : from * 3 / 2;
    draft::LengthCosts& one = by_text.emplace_back(draft::LengthCosts{from, {}});
    for (int rows = 1; rows <= 1 + longest; ++rows)
      one.seconds.push_back(costs.seconds({shape, rows, usual}));
  }
  return by_text;
}

}  // namespace outrider::methods
