#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "train/optimiser/adamw.h"
#include "train/optimiser/schedule.h"

namespace outrider::train {

/// How a run trains. What the bits depend on; a run goes on with equal ones only.
struct TrainingOptions {
  int batch = 4;  // traces forwarded at a time
  /// Batches whose gradients make one step. Those of a power of two are summed by a tree (TreeSum), so that several
  /// workers can have parts of it; those of any other number one after the other.
  int accumulate = 1;
  Schedule schedule;  // with the number of steps
  AdamWOptions adamw;
  double clip = 1;           // the norm of all gradients at most; 0: any
  int validate_every = 200;  // steps
  std::uint64_t seed = 0;    // of the order of traces
};

/// When a run stops before its last step. Not what the bits depend on: a run that was stopped can go on
/// with other limits.
struct TrainingLimits {
  double minutes = 0;  // of training, counted over all starts; 0: any
  int patience = 0;    // validations in a row without a better score; 0: any
  double checkpoint_minutes = 5;
};

nlohmann::json json_of(const TrainingOptions& options);

}  // namespace outrider::train
