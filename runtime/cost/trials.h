#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/cost/trial.h"
#include "runtime/cost/trial_prices.h"

namespace outrider::cost {

/// Settings whose predicted speeds differ by less are not told apart by measurements.
inline constexpr double kAlike = 0.01;

/// Of trials that are predicted to be as fast as the fastest, but for kAlike, what makes one the better choice elsewhere: the
/// lower the better. Empty: nothing, so that the fastest is chosen.
using Preference = std::function<double(const Trial& one, const Trial& fastest)>;

/// What was tried of a method at one temperature.
struct TemperatureTrials {
  double temperature = 0;
  std::int64_t positions = 0;          // of texts, at which rounds could begin
  std::vector<Trial> trials;           // at least one
  double plain_tokens_per_second = 0;  // of the machine that they were priced for; not stored

  /// Gives all the speeds of a machine.
  void price(const TrialPrices& prices);
  /// The best of the trials nearest to what a user gave: of a text those that have it, of a number those that have the
  /// value nearest to it, one name after the other; trials that lack a setting stay. Those whose record of the drafter ended too
  /// often are left out where there are others. On a tie the first.
  /// @return nullptr where a text was not tried
  const Trial* best(const std::vector<std::string>& names, const SettingValues& given,
                    const Preference& preference) const;
  /// The trial with just these settings; nullptr where they were not tried.
  const Trial* find(const SettingValues& settings) const;
  double speed_up(const Trial& trial) const {
    return trial.tokens_per_second / plain_tokens_per_second;
  }
};

/// What was tried of a method, on texts of a target: the same on every machine.
struct Trials {
  std::string
      drafter;  // hash of its weights, or of the choice that its drafts depend on; empty: of nothing
  int context = 0;  // tokens of a text before a round, the mean
  std::vector<std::string>
      names;  // of the settings, in the order in which what a user gives counts
  std::vector<TemperatureTrials> by_temperature;  // ascending; at least one

  const TemperatureTrials& nearest(double temperature) const;
};

/// The trials on two sets of texts together: the sums of settings that were tried on both, at temperatures that both have;
/// of the others nothing is known on one of them. There may be none.
/// @throws std::logic_error for trials of two drafters
Trials sum_of(const Trials& one, const Trials& other);

}  // namespace outrider::cost
