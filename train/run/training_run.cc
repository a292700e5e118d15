#include "train/run/training_run.h"

#include <ATen/Parallel.h>
#include <fmt/core.h>
#include <torch/version.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/reader/made_by.h"
#include "data/reader/stores_once.h"
#include "data/store/context_length.h"
#include "runtime/base/atomic_file.h"
#include "runtime/base/build_name.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/interrupted.h"
#include "runtime/base/launched_process.h"
#include "runtime/engine/machine.h"
#include "runtime/model/extend_context.h"
#include "train/run/recipe_values.h"
#include "train/run/training_progress.h"
#include "train/trainer/arithmetic.h"
#include "train/trainer/curves.h"
#include "train/trainer/parameter_state.h"
#include "train/trainer/trainer.h"
#include "train/trainer/validation_traces.h"
#include "train/workers/agreement.h"
#include "train/workers/choose_exchange.h"
#include "train/workers/gloo_workers.h"

namespace outrider::train {
namespace {

/// Of a checkpoint's identity, where the context is beyond LongRoPE's original one.
constexpr const char* kContextKey = "context";

std::filesystem::path own_folder(const RunOptions& options) {
  check_own_folder("--work", options.work, options);
  return options.work;
}

/// The context of the first traces, or with --finish of those of the checkpoint; 0 where neither says.
int context_of_run(const RunOptions& options, const WorkFolder& work) {
  if (!options.finish) return data::context_length(options.data);
  const std::optional<Checkpoint> saved = work.read();
  return saved ? saved->identity.value(kContextKey, 0) : 0;
}

/// The workers of --workers; null without, or where the launcher started one process.
/// @throws InputError where their number cannot share a step
std::unique_ptr<Workers> find_workers(const RunOptions& options, Watch& watch) {
  if (options.workers.empty()) return nullptr;
  if (options.finish)
    throw InputError("--workers: not with --finish, which does not train; leave it out");
  const std::optional<LaunchedProcess> process = launched_process(environment_variable);
  if (!process)
    throw InputError(
        fmt::format("--workers {}: expected a launcher's variables, found none of {}; start the "
                    "workers by srun, mpirun or torchrun --no-python",
                    options.workers, launcher_variables()));
  if (process->count == 1) return nullptr;
  check_divisible(options.training.accumulate, process->count);
  Meeting meeting = read_meeting(options.workers);
  meeting.interrupted = [&watch] { return watch.interrupted(); };
  watch.listen();
  watch.inform(fmt::format("--workers: worker {} of {}, by {}", process->index, process->count,
                           process->variables));
  return connect_workers(*process, meeting, options.workers_timeout);
}

/// The place of this worker among those of its host; 0 for one that trains alone.
int place_on_host(const RunOptions& options) {
  if (options.workers.empty()) return 0;
  const std::optional<LaunchedProcess> process = launched_process(environment_variable);
  return process ? process->place : 0;
}

/// --device. Threads are the processor's: who gives them means it. Workers of one host take a card each, where none is named.
TrainingDevice device_of(const RunOptions& options) {
  const engine::DeviceChoice wanted = engine::device_named(options.device).value();
  const bool names_card = options.device.find(':') != std::string::npos;
  const bool on_processor = wanted == engine::DeviceChoice{} && options.engine.threads > 0;
  return options.finish || on_processor
             ? TrainingDevice{}
             : training_device(wanted, names_card ? 0 : place_on_host(options));
}

/// @throws InputError unless the traces of both can be in one batch
void check_same_kind(const data::TraceStore& first, const data::TraceStore& other) {
  const auto compare = [&](const char* what, const std::string& expected,
                           const std::string& found) {
    if (expected == found) return;
    throw InputError(fmt::format("--data: {} has {} {}, and {} has {}; expected the same",
                                 first.folder().string(), what, expected, other.folder().string(),
                                 found));
  };
  const auto numerics = [](const data::TraceStore& store) {
    const std::string* name = data::find_option(store.identity(), "numerics");
    return name == nullptr ? std::string("unknown") : *name;
  };
  compare("--keep-top", std::to_string(first.identity().top_k),
          std::to_string(other.identity().top_k));
  compare("--numerics", numerics(first), numerics(other));
}

/// @param most  0: all
void keep_first(int most, data::TraceStore& store) {
  std::vector<int> shards = store.shards();
  if (most == 0 || std::ssize(shards) <= most) return;
  shards.resize(static_cast<std::size_t>(most));
  store.keep_only(shards);
}

std::string data_hash(const std::vector<data::TraceStore>& stores) {
  Hasher hasher;
  for (const data::TraceStore& store : stores)
    hasher.add_text(data::content_hash(store.manifest()));
  return hasher.hex();
}

/// @param kept  the step of the checkpoint that is there
/// @throws InputError saying so
void write_or_tell(const std::filesystem::path& path, const Checkpoint& checkpoint,
                   const std::optional<std::int64_t>& kept) {
  try {
    write_checkpoint(path, checkpoint);
  } catch (const InputError& error) {
    if (!kept) throw;
    throw InputError(
        fmt::format("{}; the checkpoint of step {} is kept: make room, and give the same command "
                    "again to go on from there",
                    error.what(), *kept));
  }
}

bool has_loss(const data::Trace& trace) {
  for (std::size_t i = 0; i < trace.output_tokens.size(); ++i)
    if (trace.loss_mask[trace.prompt_tokens.size() + i] != 0 && trace.in_loop[i] == 0) return true;
  return false;
}

/// A new run replaces the metrics and curves of one that was killed before its first checkpoint, and nothing else.
/// @param flag, metrics  the file, and the flag that names it or its folder
/// @throws InputError if a file has something else, or is another run's
void check_is_no_other_file(const std::string& flag, const std::filesystem::path& metrics,
                            const WorkFolder& work) {
  std::error_code none;
  std::ifstream file(metrics);
  std::string first;
  std::getline(file, first);
  const auto line = nlohmann::json::parse(first, nullptr, false);
  const bool has_metrics = first.empty() || (line.is_object() && line.contains("step"));
  const WorkFolder beside{metrics.parent_path()};
  if (!has_metrics || (metrics.filename() == beside.metrics().filename() &&
                       std::filesystem::exists(beside.checkpoint(), none)))
    throw InputError(fmt::format("{} {}: expected a new file, found {}", flag, metrics.string(),
                                 has_metrics ? "the metrics of another run" : "other content"));
  // A run writes its first curves after its first metrics.
  if (first.empty() && std::filesystem::exists(work.curves(), none))
    throw InputError(
        fmt::format("--work {}: expected a new file, found other content", work.curves().string()));
}

}  // namespace

TrainingRun::TrainingRun(const RunOptions& options, Watch& watch)
    : options_(options),
      watch_(watch),
      unheard_(watch),
      work_{own_folder(options)},
      workers_(find_workers(options, watch)),
      held_(work_),
      target_(
          model::load_for_context(options.model, options.context, context_of_run(options, work_))),
      device_(device_of(options)),
      training_(options.training) {
  if (const int width = target_.config.width; options.rate_width > 0 && width > options.rate_width)
    training_.schedule.peak *= static_cast<double>(options.rate_width) / width;
  if (leads()) held_.lock();
  if (has_workers()) {
    const std::string exchange =
        choose_exchange(*workers_, options.exchange, device_, options.workers_timeout);
    this->watch().inform(fmt::format("--exchange: gradients go {}", exchange));
    workers_->any(0);  // reads the checkpoint only once nobody writes it
  }
  saved_ = work_.read();
  open_stores();
  if (options.finish) check_finish(options, checkpoint().recipe);
  at::set_num_threads(options.engine.threads > 0 ? options.engine.threads
                                                 : engine::default_threads());
}

TrainingRun::~TrainingRun() = default;

engine::EngineOptions TrainingRun::engine_options() const {
  engine::EngineOptions engine = options_.engine;
  if (!leads()) engine.on_read = engine.on_packed = {};
  if (device().is_cuda()) engine.device.card = device().index();
  return engine;
}

void TrainingRun::open_stores() {
  if (options_.finish) return;
  if (options_.data.empty())
    throw InputError("--data: expected folders of traces, found none; data traces makes them");
  for (const std::string& folder : options_.data) stores_.emplace_back(folder);
  if (saved_ && saved_->streams.size() != stores_.size())
    throw InputError(
        fmt::format("{}: was trained on {} folders of traces, now --data has {}; give the same in "
                    "the same order, or another --work to start anew",
                    work_.checkpoint().string(), saved_->streams.size(), stores_.size()));
  data::StoresOnce given("--data");
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    data::check_made_by(stores_[i], target_);
    given.add(stores_[i]);
    check_same_kind(stores_.front(), stores_[i]);
    if (!saved_) {
      keep_first(options_.most_shards, stores_[i]);
      continue;
    }
    stores_[i].keep_only(saved_->streams[i].shards);
    if (data::content_hash(stores_[i].manifest()) == saved_->streams[i].content) continue;
    throw InputError(
        fmt::format("{}: are other traces than those that {} was trained on; give the same in the "
                    "same order, or another --work to start anew",
                    stores_[i].folder().string(), work_.checkpoint().string()));
  }
}

data::SplitOptions TrainingRun::split() const {
  return {.validation = options_.validation, .test = 0};
}

TraceMix TrainingRun::mix() const { return mix_with(states_); }

TraceMix TrainingRun::mix_with(std::span<data::StateSource* const> states) const {
  constexpr int kWindow = 32;  // shards, some tens of megabytes
  return {
      stores_,
      {.seed = training_.seed, .window = kWindow, .subset = data::Subset::kTrain, .split = split()},
      states};
}

void TrainingRun::check_has_losses() const {
  TraceMix mix = mix_with({});
  for (std::int64_t i = 0; i < mix.size(); ++i)
    if (has_loss(mix.next(1).front())) return;
  throw InputError(
      fmt::format("--data: expected tokens with a loss outside of loops, found none in {} traces "
                  "to train on; make traces of other prompts, or at another --temperature",
                  mix.size()));
}

void TrainingRun::for_each_training_trace(
    const std::function<void(const data::Trace&)>& visit) const {
  for (const data::TraceStore& store : stores_) {
    for (const int number : store.shards()) {
      const data::ShardReader shard = store.open(number, false);
      for (std::size_t i = 0; i < shard.size(); ++i) {
        const data::Trace trace = shard.columns().trace(i, store.identity().top_k);
        if (data::subset_of(trace.id, split()) == data::Subset::kTrain) visit(trace);
      }
    }
  }
}

void TrainingRun::for_first_traces(
    std::int64_t tokens, const std::function<void(std::span<const data::Trace>)>& visit) const {
  constexpr std::int64_t kTokensAtATime = 8192;
  TraceMix mix = this->mix();
  std::int64_t left = mix.size();
  while (tokens > 0 && left > 0) {
    if (watch_.interrupted()) throw Interrupted();
    std::vector<data::Trace> some;
    for (std::int64_t of_some = std::min(tokens, kTokensAtATime); of_some > 0 && left > 0; --left) {
      some.push_back(std::move(mix.next(1).front()));
      const std::int64_t answer = std::ssize(some.back().output_tokens);
      of_some -= answer;
      tokens -= answer;
    }
    visit(some);
  }
}

std::vector<data::Trace> TrainingRun::first_traces(std::int64_t tokens) const {
  std::vector<data::Trace> traces;
  for_first_traces(tokens, [&](std::span<const data::Trace> some) {
    traces.insert(traces.end(), some.begin(), some.end());
  });
  return traces;
}

nlohmann::json TrainingRun::identity(const Objective& objective) const {
  nlohmann::json identity = {{"objective", objective.identity()},
                             {"training", json_of(training_)},
                             {"validation", options_.validation},
                             {"validation-traces", options_.validation_traces},
                             {"data", data_hash(stores_)}};
  if (target_.original_context > 0) identity[kContextKey] = target_.config.context;
  return identity;
}

std::string TrainingRun::traces_identity() const {
  return saved_ ? saved_->identity.at("data").get<std::string>() : data_hash(stores_);
}

std::string TrainingRun::place() const {
  return options_.finish ? saved_->arithmetic : arithmetic_name(device_);
}

Checkpoint TrainingRun::checkpoint_of(Checkpoint state, const Objective& objective) const {
  state.identity = identity(objective);
  state.recipe = options_.recipe;
  state.arithmetic = arithmetic_name(device_);
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    state.streams[i].shards = stores_[i].shards();
    state.streams[i].content = data::content_hash(stores_[i].manifest());
  }
  return state;
}

void TrainingRun::check_workers(const Objective& objective) const {
  nlohmann::json facts = {
      {"program", fmt::format("{}, LibTorch {}", code_version(), TORCH_VERSION)},
      {"arithmetic", arithmetic_name(device_)},
      {"--work",
       saved_ ? fmt::format("a checkpoint of step {}, state {}", saved_->step, state_hash(*saved_))
              : "no checkpoint"},
      {"--patience", options_.limits.patience},
      {"--mixed-arithmetic", options_.mixed_arithmetic},
      {"run", identity(objective)}};
  if (options_.mixed_arithmetic) facts.erase("arithmetic");
  check_alike(*workers_, facts);
}

void TrainingRun::warn_of_other_arithmetic() {
  const std::string now = arithmetic_name(device_);
  if (saved_->arithmetic == now) return;
  watch().warn(
      fmt::format("warning: {}: was computed with {}; now with {}, so the run ends in other bits "
                  "than an uninterrupted one",
                  work_.checkpoint().string(), saved_->arithmetic, now));
}

std::filesystem::path TrainingRun::checked_metrics() const {
  std::filesystem::path path =
      options_.metrics.empty() ? work_.metrics() : std::filesystem::path(options_.metrics);
  std::error_code none;
  if (path == "-" ||
      (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none)))
    throw InputError(
        fmt::format("--metrics: expected a regular file, which a resumed run reads again, found {}",
                    path.string()));
  if (!saved_)
    check_is_no_other_file(options_.metrics.empty() ? "--work" : "--metrics", path, work_);
  return path;
}

void TrainingRun::train(Objective& objective, const std::function<void()>& begin) {
  if (options_.finish) {
    use_best(objective);
    return;
  }
  const std::filesystem::path metrics_path = leads() ? checked_metrics() : "";
  if (!saved_) {
    check_has_losses();
    begin();
  }
  watch_.listen();
  TraceMix mix = this->mix();
  resolve_steps(options_, mix.size(), training_.schedule);
  if (saved_) {
    check_continues(work_.checkpoint(), saved_->identity, identity(objective));
    warn_of_other_arithmetic();
  }
  if (has_workers()) check_workers(objective);
  const std::vector<data::Trace> validation = validation_traces(
      stores_, split(), static_cast<std::size_t>(options_.validation_traces), states_);
  MetricsFile metrics(metrics_path, saved_ && leads() ? saved_->metrics_bytes : 0);

  TrainingProgress progress(saved_ ? saved_->step : 0, training_.schedule.steps,
                            saved_ ? saved_->seconds : 0, options_.limits.minutes, this->watch());
  std::optional<Trainer> trainer;
  TrainingWatch watch;
  watch.peak_flops = measure_peak_flops(objective.precision(), device());
  watch.interrupted = [this] { return watch_.interrupted(); };
  watch.on_step = [&](const StepReport& step) { progress.show(step); };
  watch.on_validation = [&](std::int64_t, const Validation& found, bool) {
    progress.note(found);
    if (!leads()) return;
    write_file_atomically(work_.curves(), curves_svg(metrics.lines()));
  };
  std::optional<std::int64_t> kept = saved_ ? std::optional(saved_->step) : std::nullopt;
  watch.mixed_arithmetic = options_.mixed_arithmetic;
  watch.save = [&] {
    if (!leads()) return;
    write_or_tell(work_.checkpoint(), checkpoint_of(trainer->state(), objective), kept);
    kept = trainer->step();
  };
  trainer.emplace(objective, mix, validation, training_, options_.limits, metrics, watch,
                  workers_.get());
  if (saved_) trainer->resume(*saved_);
  progress.begin(mix.size(), std::ssize(validation), objective.precision(), watch.peak_flops);
  const Ending ending = trainer->run();
  if (ending == Ending::kInterrupted) throw Interrupted();
  trainer->use_best();
  progress.end(ending, trainer->step(), *trainer->best());
}

Precision TrainingRun::precision(const std::string& name) const {
  if (!options_.finish) return precision_of(name, device());
  return precision_of(checkpoint().identity.at("objective").at("precision").get<std::string>());
}

const Checkpoint& TrainingRun::checkpoint() const {
  if (!saved_)
    throw InputError(fmt::format(
        "--finish: expected a checkpoint in {}, found none; start without --finish to train",
        work_.path.string()));
  return *saved_;
}

void TrainingRun::use_best(Objective& objective) const {
  check_continues(work_.checkpoint(), checkpoint().identity.at("objective"), objective.identity());
  restore_best(checkpoint().parameters, objective.parameters());
}

}  // namespace outrider::train
