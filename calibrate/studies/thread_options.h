#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "calibrate/cost/draft_pass_shares.h"
#include "runtime/cost/drafting_cost.h"
#include "runtime/cost/timed_workers.h"

namespace outrider::calibrate {

/// The numbers of threads that a drafter may have, of which the faster one is kept with its trials.
/// @tparam Found   what is found of one temperature, with `speed_up()`
/// @tparam Loaded  a drafter, with its engine
template <typename Found, typename Loaded>
class ThreadOptions {
 public:
  /// @param load  (number of threads) -> shared pointer to Loaded
  template <typename Load>
  ThreadOptions(engine::Engine& target, std::optional<int> given, const Load& load) {
    std::set<int> threads = cost::timed_workers(target);
    if (given) threads = {*given};
    for (const int number : threads) options_.push_back({load(number)});
  }

  /// The drafter with the most threads.
  const std::shared_ptr<const Loaded>& most() const { return options_.back().loaded; }

  /// Times passes over so many rows. @param model  (loaded) -> cost::DraftModel
  template <typename ModelOf>
  void time(engine::Engine& target, const ModelOf& model_of, int context,
            const std::vector<int>& rows, Watch& watch) {
    for (Option& option : options_)
      option.shares = draft_pass_shares(target, model_of(option.loaded), context, rows, watch);
  }

  /// Adds what is found of a temperature with each number of threads. @param search  (shares) -> Found
  template <typename Search>
  void add(const Search& search) {
    for (Option& option : options_) {
      option.by_temperature.push_back(search(option.shares));
      option.gain += std::log(option.by_temperature.back().speed_up());
    }
  }

  /// Fills in the cost of the number of threads with the largest mean speed-up. @return what was found with it
  std::vector<Found> choose(cost::DraftingCost& drafting) const {
    const Option* best = &options_.front();
    for (const Option& option : options_)
      if (option.gain > best->gain) best = &option;
    drafting.draft_threads = best->loaded->engine->workers();
    drafting.shares = best->shares;
    return best->by_temperature;
  }

 private:
  struct Option {
    std::shared_ptr<const Loaded> loaded;
    std::vector<double> shares = {};
    std::vector<Found> by_temperature = {};
    double gain = 0;  // sum of the logarithms of the best speed-ups
  };
  std::vector<Option> options_;
};

}  // namespace outrider::calibrate
