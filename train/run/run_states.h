#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/reader/state_cache.h"
#include "runtime/inference/target.h"
#include "train/run/training_run.h"

namespace outrider::train {

/// The target's states that the traces of a run come with: as a store has kept them, or by the engine, with the
/// numerics that the traces were made with, each time that a trace is read, or once into a folder.
class RunStates {
 public:
  /// @param layers  as engine::TapRequest numbers them
  /// @param cache   the folder; empty: none
  /// @throws InputError for traces of other numerics than this target's, and for a folder where every store has kept
  ///         its states
  RunStates(const TrainingRun& run, const std::vector<int>& layers, const std::string& cache);

  /// For workers, each of which would compute all that the folder lacks.
  /// @throws InputError if it lacks anything
  void check_filled(const std::string& cache) const;
  /// Computes what the folder lacks, after telling its size.
  /// @throws Interrupted between shards; those that are done are kept
  void fill(Watch& watch);

  /// [stores]
  std::vector<data::StateSource*> sources() const;
  inference::Target& target() { return target_; }

 private:
  inference::Target target_;
  struct OfStore {
    std::unique_ptr<data::StateSource> read;  // kept by the store or computed
    std::unique_ptr<data::StateCache> cache;  // of those computed; null: none
  };
  std::vector<OfStore> stores_;
};

}  // namespace outrider::train
