#include "train/commands/run_flags.h"

#include <fmt/core.h>

#include <iterator>

#include "data/store/manifest.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/command_options.h"
#include "runtime/cli/result_flags.h"
#include "train/modules/precision.h"
#include "train/run/recipe_values.h"
#include "train/run/work_folder.h"
#include "train/workers/choose_exchange.h"

namespace outrider::train {
namespace {

constexpr int kMostBatch = 4096;
constexpr double kMostMinutes = 1e6;

/// What the help says of a default learning rate that is for targets of a width.
std::string of_width(int width) {
  if (width == 0) return "";
  return fmt::format("; the default is for widths to {}, of wider targets {}/width of it", width,
                     width);
}

}  // namespace

void RunFlags::complete(const cli::CommandOptions& command, RunOptions& run) const {
  cli::EngineFlags of_target = engine;
  of_target.device = run.device == "cpu" ? "cpu" : "auto";
  run.engine = cli::engine_options(of_target, quiet);
  run.given = command.given();
}

std::string earlier_options(const RunOptions& run) {
  return run.work.empty() ? "" : recipe_of_run(WorkFolder{run.work}.recipe());
}

void declare_data_flags(cli::CommandOptions& command, RunOptions& run) {
  cli::declare_model_flags(command, run.model, run.context);
  command
      .add_list("--data", run.data,
                "Folders of the model's traces, mixed in proportion; unfinished ones as far as "
                "they are when the run starts")
      .type_name("DIR")
      .reads(data::store_at);
  command
      .add_option("--most-shards", run.most_shards,
                  "Most shards that are read of each folder, the first ones; 0: all")
      .check(cli::whole_number(0, INT32_MAX));
  command.add_option("--validation", run.validation, "Share of the prompts kept for validation")
      .check(cli::real_number(0, 0.9));
  command.add_option("--validation-traces", run.validation_traces, "Most traces in a validation")
      .check(cli::whole_number(1, 1'000'000));
}

void declare_learning_flags(cli::CommandOptions& command, LearningOptions& learning) {
  command
      .add_option("--loss", learning.loss,
                  "kl: divergence from the target's probabilities; hard: cross-entropy with its "
                  "tokens; both")
      .check(cli::one_of({"kl", "hard", "both"}));
  command
      .add_option("--hard-share", learning.hard_share, "Weight of the hard labels with --loss both")
      .check(cli::real_number(0, 1));
  command.refuse_unless(
      {"hard-share"}, [&learning] { return learning.loss == "both"; }, "only with --loss both");
  command
      .add_option("--max-context", learning.most_context,
                  "Most prompt tokens kept as context, the last ones; 0: all")
      .check(cli::whole_number(0, 1 << 24));
  command
      .add_option(
          "--precision", learning.precision,
          "Matrix products in training: f32, bf16, or auto: bf16 where the processor has them")
      .check(cli::one_of(precision_names()));
  command
      .add_option("--quantise", learning.quantise,
                  "Type of the resulting layers and head: q8_0, q4_1 or none (f32)")
      .check(cli::one_of({"q8_0", "q4_1", "none"}));
}

void declare_training_flags(cli::CommandOptions& command, RunOptions& run) {
  TrainingOptions& training = run.training;
  command.group("Training");
  command
      .add_option("--steps", run.steps,
                  "Steps of the run and of its schedule; 0: as many as --epochs has")
      .check(cli::whole_number(0, kMostSteps));
  command.add_option("--epochs", run.epochs, "Passes over the training traces")
      .check(cli::real_number(0, 1e6));
  command.refuse_unless(
      {"epochs"}, [&run] { return run.steps == 0; },
      "not with --steps, which gives the length of the run; leave one of them out");
  command.add_option("--batch", training.batch, "Traces forwarded at a time")
      .check(cli::whole_number(1, kMostBatch));
  command.add_option("--accumulate", training.accumulate, "Batches whose gradients make one step")
      .check(cli::whole_number(1, kMostBatch));
  command
      .add_option("--learning-rate", training.schedule.peak,
                  "Peak learning rate, at the end of the warm-up" + of_width(run.rate_width))
      .check(cli::real_number(0, 1e3));
  command
      .add_option("--learning-rate-floor", training.schedule.floor,
                  "Learning rate at the last step, after a cosine decay, as a share of the peak")
      .check(cli::real_number(0, 1));
  command
      .add_option("--warm-up", run.warm_up, "Share of the steps over which the learning rate rises")
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
      .add_option("--patience", run.limits.patience,
                  "Stop after so many validations without a better score; 0: never")
      .check(cli::whole_number(0, 1'000'000));
  command
      .add_option("--minutes", run.limits.minutes,
                  "Stop after so many minutes of training in all starts together, to go on later; "
                  "the schedule does not change; 0: never")
      .check(cli::real_number(0, kMostMinutes));
  command.add_option("--seed", training.seed, "Seed of the order of traces")
      .check(cli::whole_number(0, INT64_MAX));
}

void declare_run_flags(cli::CommandOptions& command, RunOptions& run, RunFlags& flags) {
  command.group("Run");
  run.artifact_folders = cli::artifact_folders();
  command
      .add_option("--work", run.work,
                  "Folder of the run's checkpoint, metrics and curves; a run in it is continued, "
                  "with its own options where they are not given")
      .type_name("DIR")
      .updates([](const std::string& work) {
        const WorkFolder folder{work};
        return std::vector{folder.checkpoint(), folder.curves(), folder.lock()};
      })
      .required();
  command
      .add_option("--checkpoint-minutes", run.limits.checkpoint_minutes,
                  "Minutes between checkpoints: the most that a kill loses")
      .check(cli::real_number(0, kMostMinutes));
  command
      .add_option("--metrics", run.metrics,
                  "JSON lines of every step and validation (default: metrics.jsonl in --work)")
      .type_name("FILE")
      .writes([&run](const std::string& metrics) {
        return std::vector{metrics.empty() ? WorkFolder{run.work}.metrics()
                                           : std::filesystem::path(metrics)};
      });
  cli::declare_results_flag(command, run.artifacts);
  command.add_flag("--finish", run.finish,
                   "Write the checkpoint's best weights as the result, without training");
  command
      .add_option("--workers", run.workers,
                  "Train in all processes that srun, mpirun or torchrun started, with the bits of "
                  "one process and the same --accumulate. They meet at HOST:PORT of the first one, "
                  "in a folder that all share, or, auto, at MASTER_ADDR and MASTER_PORT; --work is "
                  "shared too. The traffic is plain: no encryption, no passwords")
      .type_name("WHERE");
  command
      .add_option("--workers-timeout", run.workers_timeout,
                  "Seconds that a worker waits for another before it ends with exit status 75, "
                  "after which all can be started again")
      .check(cli::real_number(1, 86'400));
  command
      .add_option("--exchange", run.exchange,
                  "How gradients go from worker to worker, in the same bits: nccl, from card to "
                  "card, gloo, through the hosts' memory, or auto, nccl where each worker has a "
                  "card of its own and libnccl.so.2 is found")
      .check(cli::one_of({std::begin(kExchanges), std::end(kExchanges)}));
  command.add_flag("--mixed-arithmetic", run.mixed_arithmetic,
                   "Allow workers of unlike processors or numbers of threads; the bits then depend "
                   "on which there are");
  command.refuse_unless(
      {"workers-timeout", "exchange", "mixed-arithmetic"}, [&run] { return !run.workers.empty(); },
      "only with --workers");
  cli::declare_device_flag(
      command, run.device,
      "Where to train: cpu, cuda or cuda:N, a GPU of NVIDIA's, for which LibTorch's kernels have "
      "to be there, or auto: such a GPU where there is one and --threads is not given, else cpu");
  cli::declare_threads_flag(command, flags.engine);
  command.add_flag("--quiet", flags.quiet, "No progress or figures on standard error");
}

}  // namespace outrider::train
