#pragma once

#include <optional>
#include <string>

#include "runtime/methods/draft_model_search.h"
#include "runtime/methods/machine_costs.h"

namespace outrider::methods {

/// What was found out about a drafter by replaying settings.
/// @tparam Settings  cost::CalibratedPasses with temperatures
template <typename Settings>
struct CalibratedTrials {
  Settings settings;
  bool this_machine = false;  // the times and speeds are this machine's
  std::string file;           // with the settings
};

/// Calibrated settings, as find_calibrated_draft finds them: acceptance of this machine, else of
/// another, with the speeds that this machine's costs give. How much more the drafter's passes cost
/// with more rows is as on the machine of the calibration.
/// @param kind, read, drafted  as of DraftModelSearch::find
template <typename Read, typename Drafted>
auto find_calibrated_trials(const MethodTarget& target, DraftModelSearch& search,
                            const std::string& kind, const Read& read, const Drafted& drafted) {
  using Settings = decltype(read(std::declval<const hdf5::Reader&>(), kind));
  std::optional<CalibratedTrials<Settings>> found;
  const auto stored = search.find(kind, read, drafted);
  if (!stored) return found;
  found = {stored->settings, stored->this_machine, stored->file};
  const bool timed = search.has_times_of_engine(*stored);
  if (!timed && target.quick_costs() == nullptr) return found;
  const auto passes = machine_costs(target, search.known());
  if (!passes) return found;
  Settings& all = found->settings;
  if (!timed) {
    const double scale = search.time_steps(all).share() / all.shares.front();
    for (double& share : all.shares) share *= scale;
  }
  found->this_machine = true;
  for (auto& one : all.by_temperature) one.price({*passes, all.context, all.rows, all.shares});
  return found;
}

}  // namespace outrider::methods
