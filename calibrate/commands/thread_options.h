#pragma once

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "calibrate/commands/draft_calibration.h"
#include "calibrate/commands/replay_work.h"
#include "runtime/cost/calibrated_pair.h"
#include "runtime/cost/timed_workers.h"
#include "runtime/cost/trial_prices.h"

namespace outrider::calibrate {

/// The numbers of threads that a drafter may have, of which the faster one is kept with its settings.
/// @tparam Settings  of one temperature, with `plain_tokens_per_second`
/// @tparam Loaded    a drafter, with its engine
template <typename Settings, typename Loaded>
class ThreadOptions {
 public:
  /// @param load  (number of threads) -> shared pointer to Loaded
  template <typename Load>
  ThreadOptions(DraftCalibration& calibration, std::optional<int> given, const Load& load) {
    std::set<int> threads = cost::timed_workers(calibration.target().engine());
    if (given) threads = {*given};
    for (const int number : threads) options_.push_back({load(number)});
  }

  /// The drafter with the most threads.
  const std::shared_ptr<const Loaded>& most() const { return options_.back().loaded; }

  /// Times passes over so many rows. @param model  (loaded) -> cost::DraftModel
  template <typename ModelOf>
  void time(engine::Engine& target, const ModelOf& model_of, int context,
            const std::vector<int>& rows, bool quiet) {
    for (Option& option : options_)
      option.shares = draft_pass_shares(target, model_of(option.loaded), context, rows, quiet);
  }

  /// Adds the settings of a temperature for each number of threads.
  /// @param search  (shares) -> Settings @param fastest  (settings) -> their tokens per second
  template <typename Search, typename Fastest>
  void add(const Search& search, const Fastest& fastest) {
    for (Option& option : options_) {
      const Settings found = search(option.shares);
      option.gain += std::log(fastest(found) / found.plain_tokens_per_second);
      option.by_temperature.push_back(found);
    }
  }

  /// Fills in those of the number of threads with the largest mean speed-up.
  template <typename MachineSettings>
  void choose(MachineSettings& settings) const {
    const Option* best = &options_.front();
    for (const Option& option : options_)
      if (option.gain > best->gain) best = &option;
    settings.draft_threads = best->loaded->engine->workers();
    settings.shares = best->shares;
    settings.by_temperature = best->by_temperature;
  }

 private:
  struct Option {
    std::shared_ptr<const Loaded> loaded;
    std::vector<double> shares = {};
    std::vector<Settings> by_temperature = {};
    double gain = 0;  // sum of the logarithms of the best speed-ups
  };
  std::vector<Option> options_;
};

}  // namespace outrider::calibrate
