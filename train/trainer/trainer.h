#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/stopwatch.h"
#include "train/checkpoints/checkpoint.h"
#include "train/optimiser/adamw.h"
#include "train/trainer/metrics_file.h"
#include "train/trainer/objective.h"
#include "train/trainer/trace_mix.h"
#include "train/trainer/training_options.h"
#include "train/workers/tree_sum.h"
#include "train/workers/workers.h"

namespace outrider::train {

/// Why a run stopped. After the last two it can go on.
enum class Ending : std::uint8_t { kFinished, kNoBetter, kOutOfTime, kInterrupted };
/// "finished", …
const char* name_of(Ending ending);

/// One step, for progress and metrics.
struct StepReport {
  std::int64_t step = 0;  // from 1
  double loss = 0;        // mean per token
  double gradient_norm = 0;
  double learning_rate = 0;
  double tokens_per_second = 0;
  double peak_share = 0;  // of the machine's rate of products; 0: unknown
};

/// What a run tells, and asks, while it trains.
struct TrainingWatch {
  std::function<void(const StepReport&)> on_step;
  std::function<void(std::int64_t step, const Validation&, bool is_best)> on_validation;
  /// Keeps a checkpoint: the trainer's state, every few minutes and at the end.
  std::function<void()> save;
  std::function<bool()> interrupted;  // asked before each step
  bool mixed_arithmetic = false;      // workers may compute with other bits than each other
  double peak_flops = 0;  // per second, in the run's precision, for the share of it; 0: unknown
};

/// The loop of training: accumulate, clip, step, validate, save.
///
/// Several workers each compute the gradients of their part of a step's batches and add them by one tree, whose bits do
/// not depend on how many there are; all else each does for itself, with the same bits. Only worker 0 has something to
/// save and metrics to write.
class Trainer {
 public:
  /// All must outlive the trainer.
  /// @param validation  traces that `data` never gives; not empty
  /// @param workers     that train together; null: this process alone. Their number divides options.accumulate
  Trainer(Objective& objective, TraceMix& data, std::span<const data::Trace> validation,
          const TrainingOptions& options, const TrainingLimits& limits, MetricsFile& metrics,
          TrainingWatch watch, Workers* workers = nullptr);

  /// Goes on from a checkpoint, whose identity has been checked.
  /// @throws InputError if its parameters are others
  void resume(const Checkpoint& checkpoint);

  /// Trains to an end, and saves.
  /// @throws InputError when a loss or a gradient is not finite, CheckFailed when workers' weights differ, TryAgain when
  ///         another worker has ended; what was saved before is kept
  Ending run();

  /// Everything that is the trainer's in a checkpoint: all but identity, recipe, arithmetic, and the
  /// streams' shards.
  Checkpoint state();

  std::int64_t step() const { return step_; }
  const std::optional<BestValidation>& best() const { return best_; }
  /// Gives the objective's parameters the values with the best validation.
  void use_best();

 private:
  std::optional<Ending> ending() const;
  void train_step();
  /// The gradients of a step's batches. @return their loss
  StepLoss sum_batches();
  StepLoss next_batch();
  /// Compares the workers' weights, or where they may differ gives all those of worker 0.
  void level_weights();
  void validate();
  void save();
  /// The traces that were trained on, each counted once.
  std::int64_t different_traces() const;
  void report(const StepLoss& sum, double norm, double rate, double seconds);

  Objective& objective_;
  TraceMix& data_;
  std::span<const data::Trace> validation_;
  TrainingOptions options_;
  TrainingLimits limits_;
  MetricsFile& metrics_;
  TrainingWatch watch_;
  Workers* workers_;
  double exchange_seconds_ =
      0;  // of the last step, until the slowest worker's gradients were there
  std::int64_t exchange_bytes_ = 0;  // sent by this worker in the last step
  AdamW optimiser_;
  std::optional<TreeSum> tree_;  // where the number of batches is a power of two

  std::int64_t step_ = 0;  // done
  std::int64_t tokens_ = 0;
  double seconds_ = 0;
  std::optional<BestValidation> best_;
  std::vector<at::Tensor> best_values_;
  int worse_since_ = 0;
  nlohmann::json last_ = nlohmann::json::object();
  Stopwatch since_save_;
};

}  // namespace outrider::train
