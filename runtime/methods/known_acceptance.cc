#include "runtime/methods/known_acceptance.h"

#include <algorithm>
#include <cmath>

#include "runtime/artifacts/acceptance_group.h"
#include "runtime/methods/calibrated.h"

namespace outrider::methods {

std::shared_ptr<const draft::AcceptanceTable> known_acceptance(const MethodTarget& target,
                                                               const std::string& artifacts,
                                                               const std::string& method) {
  const auto known = known_artifacts(target, artifacts);
  const std::string group = artifacts::acceptance_group(method);
  const artifacts::ArtifactFile* const file = known->with(group);
  if (file == nullptr) return nullptr;
  const auto tables = artifacts::read_acceptance(*file, group);
  const auto distance = [&](const auto& one) { return std::abs(one.first - target.temperature()); };
  const auto nearest =
      std::min_element(tables.begin(), tables.end(),
                       [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  return std::make_shared<const draft::AcceptanceTable>(nearest->second);
}

}  // namespace outrider::methods
