#include "train/commands/training_progress.h"

#include <fmt/core.h>

#include "runtime/base/log.h"
#include "runtime/report/sheet.h"

namespace outrider::train {
namespace {

constexpr double kSmoothing = 0.05;  // what a step weighs in the loss that is shown

}  // namespace

TrainingProgress::TrainingProgress(std::int64_t done, std::int64_t steps, bool quiet)
    : done_(done), steps_(steps), quiet_(quiet) {}

void TrainingProgress::begin(std::int64_t traces, std::int64_t validation, Precision precision,
                             double peak_flops) {
  if (quiet_) return;
  print_log(
      "{} traces to train on, {} to validate on; {} of {} steps done; {} products reach "
      "{:.4g} GFLOP/s\n",
      report::grouped(traces), report::grouped(validation), done_, steps_, name_of(precision),
      peak_flops / 1e9);
  progress_.emplace("steps", steps_, false, done_);
}

void TrainingProgress::show(const StepReport& step) {
  if (!progress_) return;
  loss_ = loss_ ? *loss_ + kSmoothing * (step.loss - *loss_) : step.loss;
  std::string note = fmt::format("{:.4g} tokens/s", step.tokens_per_second);
  if (step.peak_share > 0) note += fmt::format(" ({:.0f} % of the peak)", 100 * step.peak_share);
  note += fmt::format(", loss {:.4f}", *loss_);
  if (score_) note += fmt::format(", score {:.4f}", *score_);
  progress_->show(step.step, note);
}

void TrainingProgress::note(const Validation& validation) { score_ = validation.score; }

void TrainingProgress::end(Ending ending, std::int64_t step, const BestValidation& best) {
  progress_.reset();
  if (quiet_) return;
  print_log("{} after {} of {} steps; best score {:.4f} after step {}\n", name_of(ending), step,
            steps_, best.score, best.step);
}

}  // namespace outrider::train
