#include "runtime/methods/calibrated_graph.h"

#include <algorithm>
#include <filesystem>

#include "runtime/artifacts/graph_settings.h"
#include "runtime/methods/draft_model_search.h"
#include "runtime/methods/machine_costs.h"

namespace outrider::methods {
namespace {

void take_times(const cost::TimedSteps& steps, cost::MachineGraphSettings& all) {
  const double scale = steps.share() / all.shares.front();
  for (double& share : all.shares) share *= scale;
}

}  // namespace

std::optional<CalibratedGraph> find_calibrated_graph(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts) {
  if (std::filesystem::path(draft).extension() != ".h5") return std::nullopt;
  DraftModelSearch search(target, draft, artifacts);
  const auto stored =
      search.find(artifacts::kGraphSettings, artifacts::read_graph_settings,
                  [&](const cost::MachineGraphSettings& one) {
                    return one.nearest(target.temperature()).best(false).drafted_per_round();
                  });
  if (!stored) return std::nullopt;
  CalibratedGraph found = {stored->settings, stored->this_machine, stored->file};
  const bool timed = search.has_times_of_engine(*stored);
  if (!timed && target.quick_costs() == nullptr) return found;
  const auto passes = machine_costs(target, search.known());
  if (!passes) return found;
  cost::MachineGraphSettings& all = found.settings;
  if (!timed) take_times(search.time_steps(all), all);
  found.this_machine = true;
  for (cost::GraphSettings& one : all.by_temperature)
    one.price({*passes, all.context, all.rows, all.shares});
  return found;
}

}  // namespace outrider::methods
