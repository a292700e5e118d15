#include "train/run/training_progress.h"

#include <fmt/core.h>

#include "runtime/base/duration_text.h"
#include "runtime/report/sheet.h"

namespace outrider::train {
namespace {

constexpr int kTimedSteps = 2;
constexpr double kSmoothing = 0.05;  // what a step weighs in the loss that is shown

}  // namespace

TrainingProgress::TrainingProgress(std::int64_t done, std::int64_t steps, double seconds,
                                   double minutes, Watch& watch)
    : done_(done), steps_(steps), seconds_(seconds), minutes_(minutes), watch_(watch) {}

void TrainingProgress::estimate(std::int64_t done, double seconds_of_step) const {
  const std::int64_t left = steps_ - done;
  if (left == 0) return;
  const double seconds = static_cast<double>(left) * seconds_of_step;
  std::string text =
      fmt::format("training: about {} on this machine for the {} steps that are left",
                  duration_text(seconds), report::grouped(left));
  if (minutes_ > 0 && seconds_ + seconds > 60 * minutes_)
    text += fmt::format(
        "; it stops after --minutes {:g}, and goes on when it is given again with more", minutes_);
  watch_.inform(text);
}

void TrainingProgress::begin(std::int64_t traces, std::int64_t validation, Precision precision,
                             double peak_flops) {
  watch_.inform(
      fmt::format("{} traces to train on, {} to validate on; {} of {} steps done; {} products "
                  "reach {:.4g} GFLOP/s",
                  report::grouped(traces), report::grouped(validation), done_, steps_,
                  name_of(precision), peak_flops / 1e9));
  if (done_ > 0) estimate(done_, seconds_ / static_cast<double>(done_));
  watch_.begin("steps", steps_, done_);
}

void TrainingProgress::show(const StepReport& step) {
  if (done_ == 0 && step.step == 1) since_first_ = Stopwatch();  // which takes longer than others
  if (done_ == 0 && step.step == 1 + kTimedSteps) {
    watch_.end();
    estimate(step.step, since_first_.seconds() / kTimedSteps);
    watch_.begin("steps", steps_, step.step);
  }
  loss_ = loss_ ? *loss_ + kSmoothing * (step.loss - *loss_) : step.loss;
  std::string note = fmt::format("{:.4g} tokens/s", step.tokens_per_second);
  if (step.peak_share > 0) note += fmt::format(" ({:.0f} % of the peak)", 100 * step.peak_share);
  note += fmt::format(", loss {:.4f}", *loss_);
  if (score_) note += fmt::format(", score {:.4f}", *score_);
  watch_.show(step.step, note);
}

void TrainingProgress::note(const Validation& validation) { score_ = validation.score; }

void TrainingProgress::end(Ending ending, std::int64_t step, const BestValidation& best) {
  watch_.end();
  watch_.inform(fmt::format("{} after {} of {} steps; best score {:.4f} after step {}",
                            name_of(ending), step, steps_, best.score, best.step));
}

}  // namespace outrider::train
