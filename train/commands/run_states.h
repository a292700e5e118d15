#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/reader/state_cache.h"
#include "runtime/inference/target.h"
#include "train/commands/training_run.h"

namespace outrider::train {

/// The target's states after the final norm that the traces of a run come with: by the engine, with the
/// numerics that the traces were made with. Each time that a trace is read, or once into a folder.
class RunStates {
 public:
  /// @param run    must outlive it
  /// @param cache  the folder; empty: none
  /// @throws InputError for traces of other numerics than this target's
  RunStates(const TrainingRun& run, const TrainingFlags& flags, const std::string& cache);

  /// Computes what the folder lacks, after telling its size.
  /// @throws Interrupted between shards; those that are done are kept
  void fill(bool quiet);

  /// [stores]
  std::vector<data::StateSource*> sources() const;
  inference::Target& target() { return target_; }

 private:
  inference::Target target_;
  std::vector<std::unique_ptr<data::StateSource>> computed_;
  std::vector<std::unique_ptr<data::StateCache>> cached_;  // empty without a folder
};

}  // namespace outrider::train
