#pragma once

#include <optional>

#include "runtime/cli/progress.h"
#include "train/trainer/trainer.h"

namespace outrider::train {

/// What a person sees of a run, on standard error.
class TrainingProgress {
 public:
  TrainingProgress(std::int64_t done, std::int64_t steps, bool quiet);

  /// @param peak_flops  per second, of products of this precision
  void begin(std::int64_t traces, std::int64_t validation, Precision precision, double peak_flops);
  void show(const StepReport& step);
  void note(const Validation& validation);
  void end(Ending ending, std::int64_t step, const BestValidation& best);

 private:
  std::int64_t done_, steps_;
  bool quiet_;
  std::optional<cli::Progress> progress_;
  std::optional<double> loss_;  // smoothed
  std::optional<double> score_;
};

}  // namespace outrider::train
