#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "runtime/cli/engine_flags.h"
#include "train/trainer/training_options.h"

namespace outrider::cli {
class CommandOptions;
}

namespace outrider::train {

/// What every training command takes. Each initial value is the default that the help shows.
struct TrainingFlags {
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
  TrainingLimits limits;

  std::string work;
  std::string metrics;  // empty: in the work folder
  std::string artifacts;
  bool finish = false;  // only write the result of the checkpoint
  std::string workers;  // where those of a run find each other; empty: this process trains alone
  double workers_timeout = 45;    // seconds that one waits for another
  std::string exchange = "auto";  // how gradients go from worker to worker: of kExchanges
  bool mixed_arithmetic = false;
  cli::EngineFlags engine;
  std::string device = "auto";  // that trains
  bool quiet = false;

  std::string resolved;  // all options as TOML; Command::resolved fills it

  /// Of the engine of the target, which computes states: where it trains on the processor there too, else where it can.
  cli::EngineFlags target_engine() const;
};

/// Declares --model to --validation-traces.
void declare_data_flags(cli::CommandOptions& command, TrainingFlags& flags);
/// --steps to --seed
void declare_training_flags(cli::CommandOptions& command, TrainingFlags& flags);
/// --work to --quiet
void declare_run_flags(cli::CommandOptions& command, TrainingFlags& flags);

/// With --finish nothing is trained: what is given about training is what the checkpoint was trained with.
/// @param given   long names of the flags on the command line
/// @param recipe  of the checkpoint, as TrainingFlags::resolved
/// @throws InputError naming the first flag that differs
void check_finish(const TrainingFlags& flags, const std::set<std::string>& given,
                  const std::string& recipe);

/// Notes the value that an option has after all, as TOML, or, empty, that it has none.
/// @param resolved  as TrainingFlags::resolved; must have the option
void set_value(std::string& resolved, const std::string& option, const std::string& value);

/// @param flag, folder  to write to
/// @throws InputError if it is standard output or a folder that the run reads
void check_own_folder(const std::string& flag, const std::string& folder,
                      const TrainingFlags& flags);

/// Fills in the numbers of steps. @param traces  of an epoch
void resolve_steps(const TrainingFlags& flags, std::int64_t traces, Schedule& schedule);

}  // namespace outrider::train
