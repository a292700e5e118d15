#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/store/trace_store.h"
#include "runtime/base/watch.h"
#include "runtime/model/model.h"
#include "train/device/training_device.h"
#include "train/run/run_options.h"
#include "train/run/work_folder.h"
#include "train/trainer/objective.h"
#include "train/trainer/trace_mix.h"
#include "train/workers/workers.h"

namespace outrider::train {

/// One start of a training: what it reads, the run in its work folder, and the training itself, for whatever is trained.
class TrainingRun {
 public:
  /// Opens all, and waits for another process in the same folder. Of stores that have grown since the run
  /// began only the shards of then are read.
  /// With --workers first finds the others; then each opens the same, and worker 0 alone holds the folder.
  /// @param options, watch  must outlive it
  /// @throws InputError for traces of another model, traces that differ in kind or since the checkpoint, with --finish for
  ///         options that the checkpoint was not trained with; TryAgain where a worker does not come
  TrainingRun(const RunOptions& options, Watch& watch);
  ~TrainingRun();

  const model::Model& target() const { return target_; }
  /// Whether this process writes the results: the only one, or worker 0.
  bool leads() const { return workers_ == nullptr || workers_->rank() == 0; }
  bool has_workers() const { return workers_ != nullptr; }
  const RunOptions& options() const { return options_; }
  /// Who waits for the run; of several workers only the first one's is told what all do.
  Watch& watch() { return leads() ? watch_ : unheard_; }
  /// Of the target's engine, which takes the card that the run trains on where it trains on one.
  engine::EngineOptions engine_options() const;
  /// Where the objective's tensors are to be: with --finish on the processor.
  at::Device device() const { return device_.device; }
  /// The precision that a name asks for; with --finish that of the checkpoint, wherever it was trained.
  Precision precision(const std::string& name) const;
  const std::vector<data::TraceStore>& stores() const { return stores_; }
  /// The split into prompts that are trained on and others.
  data::SplitOptions split() const;
  /// What an earlier start left. @throws InputError if there is none
  const Checkpoint& checkpoint() const;
  /// Makes the traces that are trained and validated on come with hidden states.
  /// @param states  [stores]; they must outlive the run
  void use_states(std::vector<data::StateSource*> states) { states_ = std::move(states); }
  /// Visits every trace that is trained on, in the stores' order.
  void for_each_training_trace(const std::function<void(const data::Trace&)>& visit) const;

  /// Visits the first that are trained on, with so many tokens of answers if there are as many, some at a time.
  /// @throws Interrupted between these
  void for_first_traces(std::int64_t tokens,
                        const std::function<void(std::span<const data::Trace>)>& visit) const;
  /// These traces.
  std::vector<data::Trace> first_traces(std::int64_t tokens) const;
  /// The highest learning rate.
  double peak_rate() const { return training_.schedule.peak; }

  /// Trains until the run ends, but not with --finish; the objective then has the weights with the best
  /// validation.
  /// @param begin  gives the objective what a run begins with; not called if the run has begun
  /// @throws Interrupted after a checkpoint was written; InputError as the trainer does, and for a
  ///         checkpoint of another objective
  void train(Objective& objective, const std::function<void()>& begin);

  /// A hash of the stores that are trained on, those of the checkpoint if there is one.
  std::string traces_identity() const;
  /// What trains, and with --finish what trained: arithmetic_name.
  std::string place() const;

 private:
  /// Of a worker that tells nothing.
  class Unheard : public Watch {
   public:
    explicit Unheard(Watch& heard) : heard_(heard) {}
    void listen() override { heard_.listen(); }
    bool interrupted() override { return heard_.interrupted(); }

   private:
    Watch& heard_;
  };

  void open_stores();
  /// The traces that are trained on, from the beginning.
  TraceMix mix() const;
  TraceMix mix_with(std::span<data::StateSource* const> states) const;
  /// @throws InputError if there is nothing to learn from in any trace that is trained on
  void check_has_losses() const;
  void use_best(Objective& objective) const;
  nlohmann::json identity(const Objective& objective) const;
  Checkpoint checkpoint_of(Checkpoint state, const Objective& objective) const;
  void warn_of_other_arithmetic();
  /// @throws InputError naming what the workers' runs differ in
  void check_workers(const Objective& objective) const;
  /// The file of --metrics, or the work folder's. @throws InputError for no regular file, the metrics
  /// of another run, or other content
  std::filesystem::path checked_metrics() const;

  const RunOptions& options_;
  Watch& watch_;
  Unheard unheard_;
  WorkFolder work_;
  std::unique_ptr<Workers> workers_;  // null: this process trains alone
  HeldFolder held_;
  model::Model target_;
  std::vector<data::TraceStore> stores_;
  std::vector<data::StateSource*> states_;  // [stores] or empty
  std::optional<Checkpoint> saved_;         // what an earlier start left; nothing: the run begins
  TrainingDevice device_;
  TrainingOptions training_;  // with the numbers of steps
};

}  // namespace outrider::train
