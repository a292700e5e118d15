#pragma once

#include <optional>

#include "runtime/base/stopwatch.h"
#include "runtime/base/watch.h"
#include "train/trainer/trainer.h"

namespace outrider::train {

/// Tells of a run: how long it takes, its steps, and how it ended.
class TrainingProgress {
 public:
  /// @param done, seconds  steps of earlier starts, and what they took
  /// @param minutes        that all starts together may take; 0: any
  TrainingProgress(std::int64_t done, std::int64_t steps, double seconds, double minutes,
                   Watch& watch);

  /// Says how long the steps that are left take: at once where earlier starts tell, else after the first ones.
  /// @param peak_flops  per second, of products of this precision
  void begin(std::int64_t traces, std::int64_t validation, Precision precision, double peak_flops);
  void show(const StepReport& step);
  void note(const Validation& validation);
  void end(Ending ending, std::int64_t step, const BestValidation& best);

 private:
  void estimate(std::int64_t done, double seconds_of_step) const;

  std::int64_t done_, steps_;
  double seconds_, minutes_;
  Stopwatch since_first_;
  Watch& watch_;
  std::optional<double> loss_;  // smoothed
  std::optional<double> score_;
};

}  // namespace outrider::train
