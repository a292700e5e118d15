#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/engine/engine_options.h"
#include "train/trainer/training_options.h"

namespace outrider::train {

inline constexpr std::int64_t kMostSteps = 1'000'000'000;

/// What every training with LibTorch takes: its traces, how it learns, and where its files are. Each initial value is the
/// default that the help shows.
struct RunOptions {
  std::string model;
  int context = 0;  // 0: that of the first traces
  std::vector<std::string> data;
  int most_shards = 0;       // of each folder, the first ones; 0: all
  double validation = 0.02;  // share of the prompts
  int validation_traces = 256;

  double epochs = 3;
  std::int64_t steps = 0;  // 0: as many as the epochs have
  double warm_up = 0.04;   // share of the steps
  TrainingOptions training;
  /// The peak learning rate is for targets of this width; for wider ones it is less in proportion. 0: for all.
  int rate_width = 0;
  TrainingLimits limits;

  std::string work;
  std::string metrics;                  // empty: in the work folder
  std::string artifacts;                // a file, or a folder; empty: one of the folders
  artifacts::Folders artifact_folders;  // of artifacts that are not named
  bool finish = false;                  // only write the result of the checkpoint
  std::string workers;  // where those of a run find each other; empty: this process trains alone
  double workers_timeout = 45;    // seconds that one waits for another
  std::string exchange = "auto";  // how gradients go from worker to worker: of kExchanges
  bool mixed_arithmetic = false;
  std::string device = "auto";  // that trains
  /// Of the target, which computes states: where it trains on the processor there too, else where it can. Its threads are
  /// those that train.
  engine::EngineOptions engine;

  std::string recipe;           // all options as TOML, kept in checkpoints; empty: none
  std::set<std::string> given;  // names of the options that were given, and are no defaults
};

/// @param flag, folder  to write to
/// @throws InputError if it is standard output or a folder that the run reads
void check_own_folder(const std::string& flag, const std::string& folder,
                      const RunOptions& options);

/// Fills in the numbers of steps. @param traces  of an epoch
void resolve_steps(const RunOptions& options, std::int64_t traces, Schedule& schedule);

}  // namespace outrider::train
