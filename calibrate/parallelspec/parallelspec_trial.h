#pragma once

#include "runtime/cost/trials.h"
#include "runtime/draft/parallelspec/level_growth.h"

namespace outrider::calibrate {

/// The names of what trees of a parallel drafter are set by, in the order in which what a user gives counts.
inline const std::vector<std::string> kParallelSpecNames = {"tree", "draft-length",
                                                            "draft-threshold"};

/// The rounds with one form of trees. A parallel drafter has one pass a round, over the text's new tokens and
/// its masks; one that drafts token by token a further pass for each token after the first.
struct ParallelSpecTrial : cost::TrialCounts {
  draft::LevelShape setting;

  cost::Shape shape() const {
    return setting.is_chain() ? cost::Shape::kChain : cost::Shape::kTree;
  }
  /// As it is kept.
  cost::Trial trial() const {
    cost::Trial kept;
    static_cast<cost::TrialCounts&>(kept) = *this;
    kept.settings = {{"tree", setting.tree()},
                     {"draft-length", static_cast<double>(setting.length)},
                     {"draft-threshold", setting.threshold}};
    kept.shape = shape();
    return kept;
  }
};

}  // namespace outrider::calibrate
