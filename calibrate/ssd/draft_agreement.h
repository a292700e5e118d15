#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "calibrate/ssd/ssd_trial.h"
#include "runtime/cost/trials.h"

namespace outrider::calibrate {

/// How often a draft model draws the target's own token, after the target's own tokens.
struct DraftAgreement {
  std::int64_t tokens = 0;  // that count: those in loops do not
  std::int64_t in_head = 0;
  std::int64_t accepted = 0;

  void add(const SsdTrial& trial);
  double coverage() const { return share(in_head); }
  double agreement() const { return share(accepted); }

 private:
  double share(std::int64_t part) const {
    return tokens == 0 ? 0 : static_cast<double>(part) / static_cast<double>(tokens);
  }
};

/// The trials of answers at one temperature.
struct SsdAtTemperature {
  std::map<std::string, DraftAgreement> by_task;
  std::vector<SsdTrial> trials;

  void add(const std::string& task, SsdTrial trial);
  /// Means of the tasks, each counting the same.
  double mean_coverage() const;
  double mean_agreement() const;
};

/// Rounds of every length to 16, static ones and those that thresholds of a token's probability and of the path's end.
cost::TemperatureTrials try_rounds(const SsdAtTemperature& drafts, double temperature);

/// The expected speed-up of Leviathan et al. (2023), eq. 1 of DISCO (Mamou et al. 2024): for drafts of
/// `length` tokens that are accepted independently with probability `alpha`, if verifying costs one pass.
/// @param c  the cost coefficient: a step's share of a pass
double improvement_factor(double alpha, int length, double c);

}  // namespace outrider::calibrate
