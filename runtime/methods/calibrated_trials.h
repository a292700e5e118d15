#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/cost/drafting_cost.h"
#include "runtime/cost/quick_costs.h"
#include "runtime/cost/trials.h"
#include "runtime/methods/method.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// What calibration tried of a method, as one target needs it.
struct CalibratedTrials {
  std::vector<std::string> names;  // as of cost::Trials
  cost::TemperatureTrials tried;   // at the temperature nearest to the target's, with speeds
  cost::DraftingCost drafting;     // that they were priced with
  cost::CostModel passes;          // likewise
  int context = 0;                 // likewise
  bool this_machine = false;       // the costs are this machine's
  std::string file;                // with the trials
  std::string group;

  /// The best trial of those nearest to what a method was given; nullptr where such a one was not tried.
  const cost::Trial* best(Method& method) const {
    return tried.best(names, given_by(method), method.preference());
  }
  cost::SettingValues given_by(Method& method) const;
  /// The best trial fills a method's settings without a value, and draft_threads fills `threads` where it has none.
  /// @param amount  the setting that limits a draft; it becomes 0, so that nothing is drafted, where the trial is predicted to
  ///                be less than kLeastDraftSpeedUp times as fast as plain decoding; nullptr: it is drafted all the same
  /// @return the trial, as of best
  const cost::Trial* take(Method& method, std::optional<int>& threads,
                          std::optional<int>* amount) const;
  /// Gives a method's settings without a value those of a trial.
  void fill(Method& method, const cost::Trial& trial) const;
  /// The drafter's number of threads, where fewer than the target's were found faster on this machine.
  std::optional<int> draft_threads() const;
};

/// A drafter whose trials are searched for.
struct DrafterToFind {
  std::string method;  // that drafts with it
  std::string file =
      {};  // that it was read from; empty: it has no weights, and its drafts take no passes
  std::function<std::string()> identity;  // what cost::Trials::drafter has to be
  std::string artifacts =
      {};  // the setting; empty: besides checkpoints/, the drafter's own artifact file
  cost::QuickCosts::DraftWith load = {};  // to time it
};

/// A method's trials, with the speeds that costs give: of passes those of machine_costs, of the drafter those that
/// calibration stored for this machine and the engine's threads, numerics and instruction set, else what
/// MethodTarget::quick_costs has of one row; how much more its passes cost with more rows is as on the machine of the
/// calibration. Where passes are not known here they are those of a machine that artifacts have all costs of.
/// @return nothing without trials or costs, and where trials are of another drafter: one trained before, say
/// @throws InputError for an invalid file
std::optional<CalibratedTrials> find_calibrated_trials(const MethodTarget& target,
                                                       const DrafterToFind& drafter);

/// A draft model as such a drafter.
/// @param draft             what it is read from
/// @param artifacts, vocab  the settings
DrafterToFind draft_model_to_find(const MethodTarget& target, const std::string& method,
                                  const std::string& draft, const std::string& artifacts,
                                  std::optional<int> vocab = {});

}  // namespace outrider::methods
