#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "calibrate/draft/draft_trial.h"
#include "runtime/cost/draft_settings.h"

namespace outrider::calibrate {

/// How often a draft model draws the target's own token, after the target's own tokens.
struct DraftAgreement {
  std::int64_t tokens = 0;  // that count: those in loops do not
  std::int64_t in_head = 0;
  std::int64_t accepted = 0;

  void add(const DraftTrial& trial);
  double coverage() const { return share(in_head); }
  double agreement() const { return share(accepted); }

 private:
  double share(std::int64_t part) const {
    return tokens == 0 ? 0 : static_cast<double>(part) / static_cast<double>(tokens);
  }
};

/// The trials of answers at one temperature.
struct DraftsAtTemperature {
  std::map<std::string, DraftAgreement> by_task;
  std::vector<DraftTrial> trials;

  void add(const std::string& task, DraftTrial trial);
  /// Means of the tasks, each counting the same.
  double mean_coverage() const;
  double mean_agreement() const;
};

/// Predicted speed of every length to 16 and every threshold of confidence:
/// tokens / (drafted * step + passes over the drafted tokens and the one before them).
/// @param draft_seconds  of a step of the draft model
cost::DraftSettings choose_draft_settings(const DraftsAtTemperature& trials, double temperature,
                                          const cost::PassSeconds& pass_seconds,
                                          double draft_seconds);

}  // namespace outrider::calibrate
