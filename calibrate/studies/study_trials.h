#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "calibrate/cost/pass_costs.h"
#include "calibrate/studies/study_files.h"
#include "runtime/cost/drafting_cost.h"
#include "runtime/cost/trials.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// What a study tried of a method, with what drafting costs on this machine.
struct StudyTrials {
  cost::Trials trials;
  cost::DraftingCost drafting;
  PassCosts costs;  // of the target

  /// Names the drafter that both are of.
  void set_drafter(const std::string& hash) { trials.drafter = drafting.drafter = hash; }
};

/// The cost of drafts that take no passes, on this machine. @param costs  of the target
cost::DraftingCost without_passes(const engine::Engine& target, const PassCosts& costs);

/// Checks before long work that write_trials can write a method's. @throws InputError as StudyFiles::file_of
void check_trials_files(const StudyFiles& files, const artifacts::TargetIdentity& target,
                        const std::string& machine, const std::string& method);

/// Writes the trials of methods, and what drafting costs where it was made, each to the file that --artifacts gives its group.
/// @param by_method  by their names; those without any trial are left out
/// @param named      the drafter's hash where a user named it; empty: it is the target's own
/// @return the files
std::set<std::filesystem::path> write_trials(const StudyFiles& files,
                                             const artifacts::TargetIdentity& target,
                                             const MadeBy& how,
                                             const std::map<std::string, cost::Trials>& by_method,
                                             const cost::DraftingCost& drafting,
                                             const std::string& named = "");

}  // namespace outrider::calibrate
