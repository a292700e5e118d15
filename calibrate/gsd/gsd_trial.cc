#include "calibrate/gsd/gsd_trial.h"

namespace outrider::calibrate {

cost::SettingValues GsdSetting::values() const {
  cost::SettingValues values = {
      {"children", static_cast<double>(children)},  {"tree-nodes", static_cast<double>(nodes)},
      {"draft-length", static_cast<double>(steps)}, {"prune-probability", pruning.probability},
      {"prune-siblings", pruning.sibling},          {"min-path", pruning.path}};
  if (tau > 0) values["merge-run"] = static_cast<double>(tau);
  return values;
}

cost::Trial GsdTrial::trial() const {
  cost::Trial kept;
  static_cast<cost::TrialCounts&>(kept) = *this;
  kept.settings = setting.values();
  kept.shape = setting.shape();
  kept.other = {{"merged", merged},
                {"accepted_copies", copies},
                {"rounds_with_accepted_copies", rounds_with_copies},
                {"accepted_later_children", later_children}};
  return kept;
}

double graph_success(const cost::Trial& trial) {
  return static_cast<double>(trial.other.at("rounds_with_accepted_copies")) /
         static_cast<double>(trial.rounds);
}

double share_of_later_children(const cost::Trial& trial) {
  const std::int64_t accepted = trial.tokens - trial.rounds;
  return accepted == 0 ? 0
                       : static_cast<double>(trial.other.at("accepted_later_children")) /
                             static_cast<double>(accepted);
}

}  // namespace outrider::calibrate
