#include "train/trainer/trainer.h"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "runtime/base/error.h"
#include "train/optimiser/gradients.h"
#include "train/trainer/parameter_state.h"
#include "train/workers/agreement.h"

namespace outrider::train {

namespace {

constexpr std::int64_t kLevelEvery = 100;  // steps between comparisons of the workers' weights

}  // namespace

const char* name_of(Ending ending) {
  switch (ending) {
    case Ending::kFinished:
      return "finished";
    case Ending::kNoBetter:
      return "no better validation";
    case Ending::kOutOfTime:
      return "out of time";
    case Ending::kInterrupted:
      return "interrupted";
  }
  return "";
}

Trainer::Trainer(Objective& objective, TraceMix& data, std::span<const data::Trace> validation,
                 const TrainingOptions& options, const TrainingLimits& limits, MetricsFile& metrics,
                 TrainingWatch watch, Workers* workers)
    : objective_(objective),
      data_(data),
      validation_(validation),
      options_(options),
      limits_(limits),
      metrics_(metrics),
      watch_(std::move(watch)),
      workers_(workers),
      optimiser_(objective.parameters(), options.adamw) {
  if (validation.empty()) throw std::logic_error("Trainer: nothing to validate on");
  if (workers != nullptr) check_divisible(options.accumulate, workers->count());
  if (options.accumulate > 1 && is_power_of_two(options.accumulate))
    tree_.emplace(optimiser_.parameters());
}

void Trainer::resume(const Checkpoint& checkpoint) {
  best_values_ = restore_parameters(checkpoint.parameters, optimiser_);
  optimiser_.set_steps(checkpoint.optimiser_steps);
  TraceMix::Positions positions;
  for (const SavedStream& stream : checkpoint.streams)
    positions.push_back({stream.epoch, stream.trace});
  data_.seek(positions);
  step_ = checkpoint.step;
  tokens_ = checkpoint.tokens;
  seconds_ = checkpoint.seconds;
  best_ = checkpoint.best;
  worse_since_ = checkpoint.worse_since;
  last_ = checkpoint.last;
}

Checkpoint Trainer::state() {
  Checkpoint state;
  state.step = step_;
  state.steps = options_.schedule.steps;
  state.optimiser_steps = optimiser_.steps();
  state.tokens = tokens_;
  state.seconds = seconds_;
  state.best = best_;
  state.worse_since = worse_since_;
  state.metrics_bytes = metrics_.flush();
  state.last = last_;
  for (const data::TraceStream::Position& position : data_.positions())
    state.streams.push_back({{}, "", position.epoch, position.trace});
  state.parameters = saved_parameters(optimiser_, best_values_);
  return state;
}

std::optional<Ending> Trainer::ending() const {
  if (step_ >= options_.schedule.steps) return Ending::kFinished;
  if (limits_.patience > 0 && worse_since_ >= limits_.patience) return Ending::kNoBetter;
  // Of workers, whose clocks and signals differ, all end where any of them would.
  constexpr unsigned kLate = 1, kStopped = 2;
  const bool is_late = limits_.minutes > 0 && seconds_ >= 60 * limits_.minutes;
  unsigned votes = (is_late ? kLate : 0) | (watch_.interrupted() ? kStopped : 0);
  if (workers_ != nullptr) votes = workers_->any(votes);
  if ((votes & kLate) != 0) return Ending::kOutOfTime;
  if ((votes & kStopped) != 0) return Ending::kInterrupted;
  return {};
}

Ending Trainer::run() {
  since_save_ = {};
  level_weights();
  if (!best_) validate();
  for (;;) {
    if (const std::optional<Ending> end = ending()) {
      save();
      return *end;
    }
    train_step();
    if (step_ % kLevelEvery == 0 || step_ == options_.schedule.steps) level_weights();
    if (step_ % options_.validate_every == 0 || step_ == options_.schedule.steps) validate();
    if (since_save_.seconds() >= 60 * limits_.checkpoint_minutes) save();
  }
}

void Trainer::train_step() {
  const Stopwatch watch;
  optimiser_.clear_gradients();
  objective_.begin_step(step_);
  const StepLoss sum = sum_batches();
  // The gradients are of the sum; how many tokens it has is known only now.
  const double factor = sum.tokens > 0 ? 1 / static_cast<double>(sum.tokens) : 0;
  const double norm = scale_gradients(optimiser_.parameters(), factor, options_.clip);
  if (!std::isfinite(sum.loss) || !std::isfinite(norm))
    throw InputError(fmt::format(
        "step {}: the loss is {} and the norm of its gradient {}, expected finite numbers; the "
        "checkpoint before it is kept; start anew in another --work with a lower --learning-rate",
        step_ + 1, sum.loss, norm));
  const double rate = learning_rate(options_.schedule, step_);
  if (sum.tokens > 0) optimiser_.step(rate);
  ++step_;
  tokens_ += sum.tokens;
  const double seconds = watch.seconds();
  seconds_ += seconds;
  report(sum, norm, rate, seconds);
}

StepLoss Trainer::next_batch() { return objective_.accumulate(data_.next(options_.batch), 1); }

StepLoss Trainer::sum_batches() {
  if (!tree_) {
    StepLoss sum;
    for (int i = 0; i < options_.accumulate; ++i) {
      const StepLoss loss = next_batch();
      sum.loss += loss.loss;
      sum.tokens += loss.tokens;
    }
    return sum;
  }
  const int workers = workers_ == nullptr ? 1 : workers_->count();
  const int own = options_.accumulate / workers;
  const int before = workers_ == nullptr ? 0 : workers_->rank() * own;
  data_.skip(before * options_.batch);
  for (int i = 0; i < own; ++i) tree_->add(next_batch());
  data_.skip((options_.accumulate - before - own) * options_.batch);
  const StepLoss sum = tree_->finish();
  if (workers_ == nullptr) return sum;
  const Stopwatch watch;
  const std::int64_t sent = workers_->sent_bytes();
  const StepLoss of_all = sum_over(*workers_, optimiser_.parameters(), sum);
  exchange_seconds_ = watch.seconds();
  exchange_bytes_ = workers_->sent_bytes() - sent;
  return of_all;
}

void Trainer::level_weights() {
  if (workers_ == nullptr) return;
  if (watch_.mixed_arithmetic) return share_weights(*workers_, optimiser_.parameters());
  check_same_weights(*workers_, weights_hash(optimiser_.parameters()), step_);
}

void Trainer::report(const StepLoss& sum, double norm, double rate, double seconds) {
  const double tokens = static_cast<double>(sum.tokens);
  StepReport report{step_, sum.tokens > 0 ? sum.loss / tokens : 0, norm, rate, tokens / seconds, 0};
  if (watch_.peak_flops > 0)
    report.peak_share = report.tokens_per_second * objective_.flops_per_token() / watch_.peak_flops;
  nlohmann::ordered_json line = {{"step", report.step},
                                 {"loss", report.loss},
                                 {"learning_rate", report.learning_rate},
                                 {"gradient_norm", report.gradient_norm},
                                 {"tokens", tokens_},
                                 {"different_traces", different_traces()},
                                 {"seconds", seconds_},
                                 {"tokens_per_second", report.tokens_per_second},
                                 {"peak_share", report.peak_share}};
  if (workers_ != nullptr) {
    line["exchange"] = workers_->gradients_by();
    line["exchange_share"] = exchange_seconds_ / seconds;
    line["exchange_bytes"] = exchange_bytes_;
  }
  metrics_.append(line);
  last_["step"] = line;
  if (watch_.on_step) watch_.on_step(report);
}

std::int64_t Trainer::different_traces() const {
  return std::min(step_ * options_.accumulate * options_.batch, data_.size());
}

void Trainer::validate() {
  const Validation validation = objective_.validate(validation_);
  if (!std::isfinite(validation.score))
    throw InputError(
        fmt::format("step {}: the validation's score is {}; the checkpoint before it is kept; "
                    "start anew in another --work with a lower --learning-rate",
                    step_, validation.score));
  const bool is_best = !best_ || validation.score > best_->score;
  worse_since_ = is_best ? 0 : worse_since_ + 1;
  if (is_best) {
    best_ = {validation.score, step_};
    best_values_ = copies(optimiser_.parameters());
  }
  nlohmann::ordered_json line = {{"step", step_}, {"validation", nlohmann::ordered_json::object()}};
  line["validation"]["score"] = validation.score;
  line["validation"]["best"] = is_best;
  for (const auto& [name, figure] : validation.figures) line["validation"][name] = figure;
  metrics_.append(line);
  last_["validation"] = line;
  if (watch_.on_validation) watch_.on_validation(step_, validation, is_best);
}

void Trainer::save() {
  if (watch_.save) watch_.save();
  since_save_ = {};
}

void Trainer::use_best() { copy_into(best_values_, optimiser_.parameters()); }

}  // namespace outrider::train
