#include "runtime/methods/calibrated_graph.h"

#include <filesystem>

#include "runtime/artifacts/graph_settings.h"

namespace outrider::methods {

std::optional<CalibratedGraph> find_calibrated_graph(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts) {
  if (std::filesystem::path(draft).extension() != ".h5") return std::nullopt;
  DraftModelSearch search(target, draft, artifacts);
  return find_calibrated_trials(
      target, search, artifacts::kGraphSettings, artifacts::read_graph_settings,
      [&](const cost::MachineGraphSettings& one) {
        return one.nearest(target.temperature()).best(false).drafted_per_round();
      });
}

}  // namespace outrider::methods
