#pragma once

#include <string>
#include <vector>

#include "runtime/cost/cost_model.h"

namespace outrider::cost {

/// What passes of a method's drafter cost on a machine, as shares of a pass of the target over one row: both are timed beside
/// each other, and only their ratio stays the same when the machine's load changes. Drafts that are copied or looked up need no
/// passes: then there are no rows.
struct DraftingCost {
  std::string drafter = {};         // as of Trials
  std::string numerics = {};        // of the target's engine
  std::string isa = {};             // likewise
  int threads = 0;                  // likewise
  int draft_threads = 0;            // of the drafter; 0: without passes
  std::vector<int> rows = {};       // of its passes, ascending, from 1 on
  std::vector<double> shares = {};  // [rows]
  /// Above temperature 0, of choosing a token after a row; the first row's choice is in the pass's own time.
  double choice_share = 0;
  /// Of the target, in seconds, where `calibrate cost` had not timed them: of both shapes, or none.
  std::vector<TimedPass> passes = {};

  /// Of a pass over as many rows as were timed, or more. Beyond the last the last. @return 0 without passes
  double share_of(int num_rows) const;
};

}  // namespace outrider::cost
