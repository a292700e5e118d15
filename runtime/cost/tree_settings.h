#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/cost/calibrated_pair.h"
#include "runtime/cost/pass_shape.h"
#include "runtime/cost/trial.h"
#include "runtime/cost/trial_prices.h"
#include "runtime/draft/parallel/level_growth.h"

namespace outrider::cost {

/// The rounds with one form of trees. A parallel drafter has one pass a round, over the text's new tokens and
/// its masks; one that drafts token by token a further pass for each token after the first.
struct TreeTrial : Trial {
  draft::LevelShape setting;

  Shape shape() const { return setting.is_chain() ? Shape::kChain : Shape::kTree; }
};

/// Values asked for.
struct RequestedTree {
  std::optional<std::vector<int>> widths = {};  // just these; of trees of the best nodes none
  // The choice is among the settings tried with the values nearest to these.
  std::optional<int> length = {};
  std::optional<double> threshold = {};
  int best_nodes = 0;  // with widths: just so many
};

/// Adds the choices of tokens to the prices of a drafter's passes. @param choice_share  as of TreeSettings
TrialPrices with_choices(TrialPrices prices, double choice_share);

/// The forms of trees that were tried at one temperature.
struct TreeSettings {
  double temperature = 0;
  std::int64_t positions = 0;  // of texts, where a drafter's choices were recorded
  double plain_tokens_per_second = 0;
  std::vector<TreeTrial> trials;  // at least one
  /// The time of choosing a token after a row of a drafter's pass, in passes of the target over one row. The first row's
  /// choice is in the pass's own time. 0 in older files, where all choices are.
  double choice_share = 0;

  /// The fastest, or one that is hardly slower and drafts fewer tokens. Null where no trees of the widths that are asked
  /// for were tried.
  const TreeTrial* best(const RequestedTree& requested = {}) const;
  void price(const TrialPrices& of_passes);
};

/// The forms of trees for one machine and drafter.
struct MachineTreeSettings : CalibratedPasses {
  std::vector<TreeSettings> by_temperature;  // ascending; at least one

  const TreeSettings& nearest(double temperature) const;
};

}  // namespace outrider::cost
