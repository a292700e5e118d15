#include "train/commands/training_flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "runtime/base/error.h"
#include "runtime/base/opened_files.h"
#include "runtime/cli/command_options.h"
#include "train/workers/choose_exchange.h"

namespace outrider::train {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr int kMostBatch = 4096;
constexpr double kMostMinutes = 1e6;

/// What --finish uses; of --start-from the weights were compared.
const std::set<std::string> kUsedByFinish = {
    "model", "work",       "metrics", "artifacts", "quantise", "threads", "finish",
    "quiet", "start-from", "config",  "out",       "device",   "ctx"};

/// The value of an option in resolved options, as TOML; nothing where it has none.
std::optional<std::string> value_in(const std::string& resolved, const std::string& option) {
  const std::string key = "\n" + option + " = ";
  const std::size_t line = resolved.find(key);
  if (line == std::string::npos) return std::nullopt;
  const std::size_t value = line + key.size();
  return resolved.substr(value, resolved.find('\n', value) - value);
}

}  // namespace

cli::EngineFlags TrainingFlags::target_engine() const {
  cli::EngineFlags flags = engine;
  flags.device = device == "cpu" ? "cpu" : "auto";
  return flags;
}

void declare_data_flags(cli::CommandOptions& command, TrainingFlags& flags) {
  cli::declare_model_flags(command, flags.model, flags.context);
  command
      .add_list(
          "--data", flags.data,
          "Folders of the model's traces, mixed in proportion; unfinished ones as far as they "
          "are when the run starts")
      .type_name("DIR");
  command
      .add_option("--most-shards", flags.most_shards,
                  "Most shards that are read of each folder, the first ones; 0: all")
      .check(cli::whole_number(0, INT32_MAX));
  command.add_option("--validation", flags.validation, "Share of the prompts kept for validation")
      .check(cli::real_number(0, 0.9));
  command.add_option("--validation-traces", flags.validation_traces, "Most traces in a validation")
      .check(cli::whole_number(1, 1'000'000));
}

void declare_training_flags(cli::CommandOptions& command, TrainingFlags& flags) {
  TrainingOptions& training = flags.training;
  command.group("Training");
  command
      .add_option("--steps", flags.steps,
                  "Steps of the run and of its schedule; 0: as many as --epochs has")
      .check(cli::whole_number(0, kMostSteps));
  command.add_option("--epochs", flags.epochs, "Passes over the training traces")
      .check(cli::real_number(0, 1e6));
  command.refuse_unless(
      {"epochs"}, [&flags] { return flags.steps == 0; },
      "not with --steps, which gives the length of the run; leave one of them out");
  command.add_option("--batch", training.batch, "Traces forwarded at a time")
      .check(cli::whole_number(1, kMostBatch));
  command.add_option("--accumulate", training.accumulate, "Batches whose gradients make one step")
      .check(cli::whole_number(1, kMostBatch));
  command
      .add_option("--learning-rate", training.schedule.peak,
                  "Peak learning rate, at the end of the warm-up")
      .check(cli::real_number(0, 1e3));
  command
      .add_option("--learning-rate-floor", training.schedule.floor,
                  "Learning rate at the last step, after a cosine decay, as a share of the peak")
      .check(cli::real_number(0, 1));
  command
      .add_option("--warm-up", flags.warm_up,
                  "Share of the steps over which the learning rate rises")
      .check(cli::real_number(0, 1));
  command.add_option("--weight-decay", training.adamw.decay, "Weight decay of AdamW, on matrices")
      .check(cli::real_number(0, 1e3));
  command.add_option("--beta1", training.adamw.beta1, "AdamW's decay of the gradient average")
      .check(cli::real_number(0, 0.999999));
  command
      .add_option("--beta2", training.adamw.beta2, "AdamW's decay of the squared-gradient average")
      .check(cli::real_number(0, 0.999999));
  command.add_option("--clip", training.clip, "Largest gradient norm; 0: no clipping")
      .check(cli::real_number(0, 1e9));
  command.add_option("--validate-every", training.validate_every, "Steps between validations")
      .check(cli::whole_number(1, INT32_MAX));
  command
      .add_option("--patience", flags.limits.patience,
                  "Stop after so many validations without a better score; 0: never")
      .check(cli::whole_number(0, 1'000'000));
  command
      .add_option("--minutes", flags.limits.minutes,
                  "Stop after so many minutes of training in all starts together, to go on later; "
                  "the schedule does not change; 0: never")
      .check(cli::real_number(0, kMostMinutes));
  command.add_option("--seed", training.seed, "Seed of the order of traces")
      .check(cli::whole_number(0, INT64_MAX));
}

void declare_run_flags(cli::CommandOptions& command, TrainingFlags& flags) {
  command.group("Run");
  command
      .add_option("--work", flags.work,
                  "Folder of the run's checkpoint, metrics and curves; a run in it is continued")
      .type_name("DIR")
      .required();
  command
      .add_option("--checkpoint-minutes", flags.limits.checkpoint_minutes,
                  "Minutes between checkpoints: the most that a kill loses")
      .check(cli::real_number(0, kMostMinutes));
  command
      .add_option("--metrics", flags.metrics,
                  "JSON lines of every step and validation (default: metrics.jsonl in --work)")
      .type_name("FILE");
  command
      .add_option(
          "--artifacts", flags.artifacts,
          "Artifact file to write to; only this command's results in it change (default: a "
          "file of this command's own in checkpoints/, or in the folder that is named here)")
      .type_name("FILE");
  command.add_flag("--finish", flags.finish,
                   "Write the checkpoint's best weights as the result, without training");
  command
      .add_option("--workers", flags.workers,
                  "Train in all processes that srun, mpirun or torchrun started, with the bits of "
                  "one process and the same --accumulate. They meet at HOST:PORT of the first one, "
                  "in a folder that all share, or, auto, at MASTER_ADDR and MASTER_PORT; --work is "
                  "shared too. The traffic is plain: no encryption, no passwords")
      .type_name("WHERE");
  command
      .add_option("--workers-timeout", flags.workers_timeout,
                  "Seconds that a worker waits for another before it ends with exit status 75, "
                  "after which all can be started again")
      .check(cli::real_number(1, 86'400));
  command
      .add_option("--exchange", flags.exchange,
                  "How gradients go from worker to worker, in the same bits: nccl, from card to "
                  "card, gloo, through the hosts' memory, or auto, nccl where each worker has a "
                  "card of its own and libnccl.so.2 is found")
      .check(cli::one_of({std::begin(kExchanges), std::end(kExchanges)}));
  command.add_flag("--mixed-arithmetic", flags.mixed_arithmetic,
                   "Allow workers of unlike processors or numbers of threads; the bits then depend "
                   "on which there are");
  command.refuse_unless(
      {"workers-timeout", "exchange", "mixed-arithmetic"},
      [&flags] { return !flags.workers.empty(); }, "only with --workers");
  cli::declare_device_flag(
      command, flags.device,
      "Where to train: cpu, cuda or cuda:N, a GPU of NVIDIA's, for which LibTorch's kernels "
      "have to be there, or auto: such a GPU where there is one and --threads is not given, "
      "else cpu");
  cli::declare_threads_flag(command, flags.engine);
  command.add_flag("--quiet", flags.quiet, "No progress or figures on standard error");
}

void check_finish(const TrainingFlags& flags, const std::set<std::string>& given,
                  const std::string& recipe) {
  for (const std::string& flag : given) {
    if (kUsedByFinish.count(flag) > 0) continue;
    const auto now = value_in(flags.resolved, flag), trained = value_in(recipe, flag);
    if (now == trained) continue;
    throw InputError(
        fmt::format("--{}: not with --finish, which does not train: the run in {} was trained with "
                    "{}, found {}; leave it out",
                    flag, flags.work, trained.value_or("none"), now.value_or("none")));
  }
}

void set_value(std::string& resolved, const std::string& option, const std::string& value) {
  std::size_t line = resolved.find("\n" + option + " = ");
  if (line == std::string::npos) line = resolved.find("\n# " + option + " =");
  if (line == std::string::npos) throw std::logic_error("set_value: no option " + option);
  const std::size_t begin = line + 1;
  const std::size_t end = std::min(resolved.find('\n', begin), resolved.size());
  resolved.replace(begin, end - begin,
                   value.empty() ? "# " + option + " =" : option + " = " + value);
}

void check_own_folder(const std::string& flag, const std::string& folder,
                      const TrainingFlags& flags) {
  check_output_folder(flag, folder);
  std::error_code none;
  const auto check = [&](const char* input_flag, const std::string& input) {
    if (std::filesystem::equivalent(folder, input, none))
      throw InputError(fmt::format("{} {}: expected a folder of its own, found that of {}", flag,
                                   folder, input_flag));
  };
  check("--model", flags.model);
  for (const std::string& store : flags.data) check("--data", store);
}

void resolve_steps(const TrainingFlags& flags, std::int64_t traces, Schedule& schedule) {
  const double step = static_cast<double>(flags.training.batch) * flags.training.accumulate;
  const double steps = flags.steps > 0
                           ? static_cast<double>(flags.steps)
                           : std::ceil(flags.epochs * static_cast<double>(traces) / step);
  schedule.steps = static_cast<std::int64_t>(std::clamp(steps, 1.0, double(kMostSteps)));
  schedule.warm_up =
      static_cast<std::int64_t>(std::ceil(flags.warm_up * static_cast<double>(schedule.steps)));
}

}  // namespace outrider::train
