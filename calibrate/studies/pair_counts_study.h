#pragma once

#include <string>
#include <vector>

#include "calibrate/studies/study_files.h"
#include "runtime/base/watch.h"
#include "runtime/model/model.h"

namespace outrider::calibrate {

/// A count of the pairs of tokens in a target's answers, for drafters of one pass.
struct PairCountsStudy {
  std::vector<std::string> data;  // folders of its traces
  int least_count = 3;            // pairs that occur less often are left out
  StudyFiles files;
};

struct CountedPairs {
  std::int64_t tokens = 0;  // of the answers, outside loops
  std::size_t pairs = 0;    // that are kept
  double share = 0;         // of all occurrences that these are
};

/// Counts them and writes the artifact's group. An interrupted study goes on beside the artifact file.
/// @throws InputError for traces of another model, or none; Interrupted
CountedPairs count_pairs(const model::Model& model, const PairCountsStudy& study, Watch& watch);

}  // namespace outrider::calibrate
