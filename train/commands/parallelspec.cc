#include <fmt/core.h>

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "runtime/artifacts/parallel.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "train/commands/choose_head.h"
#include "train/commands/commands.h"
#include "train/commands/drafter_result.h"
#include "train/commands/export_flags.h"
#include "train/commands/learning_flags.h"
#include "train/commands/paper_preset.h"
#include "train/commands/parallel_start.h"
#include "train/commands/quantised_draft.h"
#include "train/commands/run_states.h"
#include "train/commands/training_run.h"
#include "train/parallel/fit_parallel.h"

namespace outrider::train {
namespace {

constexpr const char* kParallelExamples =
    "A run that was interrupted, or stopped by --minutes, is resumed by giving the same command "
    "again,\n"
    "and ends in the same bits as an uninterrupted one. The target's states are computed by its "
    "engine, each\n"
    "time that a trace is read, or with --cache once: 1.2 kB a token for the default model, three "
    "times as\n"
    "much with --export-shape; traces made with `--store features --layers final` have them "
    "already.\n\n"
    "Examples:\n"
    "  train parallelspec -m MODEL.gguf --data traces --cache states --work work\n"
    "  train parallelspec -m MODEL.gguf --data traces --flavour medusa --inputs tokens --work "
    "work\n"
    "  train parallelspec -m MODEL.gguf --data mine --start-from work --work more\n"
    "  train parallelspec -m MODEL.gguf --work work --finish --quantise q4_1 --artifacts mine.h5\n"
    "  train parallelspec -m MODEL.gguf --data traces --export-shape vllm --work work --out "
    "drafter\n";

constexpr std::int64_t kFcTokens = 32768;

struct ParallelCommandOptions {
  TrainingFlags run;
  std::string cache;
  bool cache_only = false;
  std::string flavour = "eagle";
  std::string preset = "default";
  std::string inputs = "hidden";
  int vocab_size = 8192;
  bool no_final_norm = false;
  LearningFlags learning{.loss = "hard"};
  ParallelOptions parallel;
  std::string start_from;
  ExportFlags exported;
  std::set<std::string> given;  // names of the flags on the command line

  bool is_export() const { return flavour == "eagle" && !exported.shape.empty(); }

  ParallelCommandOptions() {
    parallel.slot_decay = 0.8;
    run.epochs = 8;
    run.training.schedule.peak = 1e-3;
    run.training.adamw.decay = 0.01;
    run.training.validate_every = 500;
    run.validation_traces = 128;
  }
};

ParallelRecipe recipe_of(ParallelCommandOptions& options) {
  return {options.run, options.parallel, options.learning, options.vocab_size};
}

void resolve(ParallelCommandOptions& options) {
  ParallelOptions& parallel = options.parallel;
  parallel.shape.flavour = draft::flavour_named(options.flavour).value();
  if (options.preset == "paper") {
    ParallelCommandOptions usual;
    use_paper_preset(parallel.shape.flavour, options.given, recipe_of(usual), recipe_of(options));
  }
  if (parallel.shape.flavour == Flavour::kEagleAr) parallel.shape.masks = 0;
  parallel.shape.token_inputs = options.inputs == "tokens";
  parallel.final_norm = !options.no_final_norm && parallel.shape.flavour != Flavour::kMedusaHeads;
  if (options.is_export()) {
    parallel.shape.shared_mask = true;
    parallel.final_norm = true;
    parallel.feature_weight = 0;
  }
  parallel.tokens.hard_share = options.learning.share_of_hard();
  parallel.most_context = options.learning.most_context;
  check_own_folder("--cache", options.cache, options.run);
  if (options.cache_only && !options.run.workers.empty())
    throw InputError("--cache-only: not with --workers; fill the folder in one process");
  if (options.cache_only && options.cache.empty())
    throw InputError("--cache-only: expected --cache with it, found none");
  if (options.is_export()) check_export(options.exported, options.run);
  const bool learns_states = options.flavour.starts_with("eagle") && parallel.feature_weight > 0;
  if (parallel.token_weight == 0 && !learns_states)
    throw InputError(
        "--token-weight: expected a number above 0 where the loss has no part on states, found 0");
}

/// Reads --start-from, whose shape is that of the run, as far as both have it.
std::optional<ParallelStart> read_start(ParallelCommandOptions& options,
                                        const model::Model& target) {
  if (options.start_from.empty()) return {};
  ParallelOptions& parallel = options.parallel;
  std::optional<ParallelStart> start(std::in_place, options.start_from, target,
                                     parallel.shape.flavour, options.is_export());
  const bool keeps_masks = start->shape().flavour == parallel.shape.flavour;
  std::vector<const char*> kept = {"inputs", "no-final-norm"};
  if (keeps_masks) kept.insert(kept.end(), {"masks", "shared-mask"});
  if (options.is_export()) kept.insert(kept.end(), {"state-layers", "mask-token", "vocab-size"});
  for (const char* const flag : kept)
    if (options.given.contains(flag))
      throw InputError(fmt::format(
          "--{}: expected none with --start-from, which keeps that drafter's own", flag));
  if (keeps_masks) parallel.shape = start->shape();
  parallel.final_norm = start->final_norm();
  parallel.started_from = start->hash();
  return start;
}

/// Notes in the resolved options what is used where a flag says something else: the shape of an earlier drafter, the size
/// of the head, and nothing where a flavour has no such setting.
void note_used(ParallelCommandOptions& options, std::size_t head_tokens) {
  const ParallelShape& shape = options.parallel.shape;
  std::string& resolved = options.run.resolved;
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  const bool has_choice = shape.flavour == Flavour::kMedusa;
  const std::string inputs = shape.token_inputs ? "\"tokens\"" : "\"hidden\"";
  set_value(resolved, "inputs", has_choice ? inputs : "");
  const bool has_masks = shape.flavour != Flavour::kEagleAr;
  set_value(resolved, "masks", has_masks ? fmt::format("{}", shape.masks) : "");
  if (!has_masks) set_value(resolved, "slot-decay", "");
  set_value(resolved, "shared-mask", truth(shape.shared_mask));
  const bool has_norm = shape.flavour != Flavour::kMedusaHeads;
  set_value(resolved, "no-final-norm", has_norm ? truth(!options.parallel.final_norm) : "");
  set_value(resolved, "vocab-size", fmt::format("{}", head_tokens));
}

/// Gives the drafter what it begins with, by some of what it is trained on; Medusa's heads begin as they are.
void fit(const TrainingRun& run, const ParallelCommandOptions& options,
         ParallelObjective& objective) {
  if (options.parallel.shape.flavour == Flavour::kMedusaHeads) return;
  if (options.is_export()) return fit_masks(objective, run.first_traces(kFcTokens));
  const ParallelFit fitted = fit_parallel(objective, run.first_traces(kFcTokens));
  if (run.is_quiet()) return;
  if (objective.layer_drafter().fc().defined())
    print_log("fc fitted on {} tokens: it explains {:.3f} of the states' variance\n", fitted.rows,
              fitted.explained);
}

/// Gives the drafter an earlier one's weights. Masks that this had none of begin as without it.
void begin_from(const ParallelStart& start, const TrainingRun& run, ParallelObjective& objective) {
  const ParallelShape& shape = objective.options().shape;
  if (shape.masks > 0 && start.shape().masks == 0)
    fit_masks(objective, run.first_traces(kFcTokens));
  start.give_weights(objective);
}

/// Writes a drafter that the runtime serves.
void write_drafter(const DrafterResult& result, const ParallelObjective& objective,
                   const std::string& quantise) {
  draft::ParallelModel drafter = objective.to_model();
  drafter.layer = quantised_draft(std::move(drafter.layer), quantise);
  if (drafter.has_heads())
    drafter.residual = quantised_residual(std::move(drafter.residual), quantise);
  result.write("train parallelspec", quantise, [&](hdf5::Writer& file, const std::string& group) {
    artifacts::write_parallel(drafter, file, group);
  });
}

void train_parallelspec(ParallelCommandOptions& options) {
  resolve(options);
  TrainingRun run(options.run);
  if (options.run.finish) check_finish(options.run, options.given, run.checkpoint().recipe);
  options.parallel.precision = run.precision(options.learning.precision);
  const std::optional<ParallelStart> start = read_start(options, run.target());
  ParallelShape& shape = options.parallel.shape;
  std::optional<DrafterResult> result;  // of a drafter that the runtime serves
  if (!options.is_export())
    result.emplace(run, options.run, artifacts::parallel_group(shape.flavour));
  else if (!start)
    shape.exported = export_shape(options.exported, run.target());
  std::optional<RunStates> states;
  if (shape.reads_states() && !options.run.finish) {
    states.emplace(run, options.run, shape.state_layers(), options.cache);
    if (run.has_workers()) states->check_filled(options.cache);
    states->fill(run.is_quiet());
    run.use_states(states->sources());
  }
  if (options.cache_only) return;
  const std::vector<Token> head =
      choose_head(run, options.run.finish, start ? &start->head_tokens() : nullptr,
                  options.vocab_size, options.given.contains("vocab-size"));
  note_used(options, head.size());
  ParallelObjective objective(run.target(), head, options.parallel,
                              at::device(run.device()).dtype(at::kFloat));
  run.train(objective, [&] {
    if (start)
      begin_from(*start, run, objective);
    else
      fit(run, options, objective);
  });
  if (!run.leads()) return;
  if (result) return write_drafter(*result, objective, options.learning.quantise);
  write_export(options.exported, objective, run.target(), options.run.quiet);
}

void declare_drafter_flags(cli::CommandOptions& command, ParallelCommandOptions& options) {
  ParallelOptions& parallel = options.parallel;
  command.group("Drafter");
  std::vector<std::string> flavours;
  for (const Flavour flavour : draft::kFlavours) flavours.emplace_back(draft::name_of(flavour));
  command
      .add_option("--flavour", options.flavour,
                  "eagle: reads the target's states and tokens, learns its next states; medusa: "
                  "reads one of them, learns tokens; eagle-ar: eagle without masks, which drafts "
                  "token by token, and medusa-heads: a head for each token, over the last state, "
                  "for comparison")
      .check(cli::one_of(flavours));
  command
      .add_option(
          "--preset", options.preset,
          "Of the settings that are not given: the defaults shown here, or the paper's: all "
          "positions, all tokens, the plain sum of a group's losses with the text's own "
          "tokens as labels, 4 masks, its optimiser and passes (40, of medusa 20)")
      .check(cli::one_of({"default", "paper"}));
  command
      .add_option("--inputs", options.inputs,
                  "What Medusa reads: tokens, or hidden: the target's states after its final norm")
      .check(cli::one_of({"tokens", "hidden"}));
  command
      .add_option("--masks", parallel.shape.masks,
                  "Masks: tokens drafted beyond the first; of medusa-heads its heads")
      .check(cli::whole_number(1, 32));
  command.add_flag("--shared-mask", parallel.shape.shared_mask,
                   "One mask at all positions in place of a different one at each");
  command
      .add_option("--vocab-size", options.vocab_size,
                  "Tokens that the drafter can propose: the most frequent in the traces; with "
                  "--start-from the earlier drafter's are among them (its own alone without this "
                  "flag)")
      .check(cli::whole_number(1, 1 << 24));
  command.add_flag("--no-final-norm", options.no_final_norm,
                   "The head reads the layer's output as it is");
  command
      .add_option("--groups", parallel.groups,
                  "Positions of a trace that a step drafts from, others each time; 0: all")
      .check(cli::whole_number(0, 1 << 24));
  command
      .add_option("--feature-weight", parallel.feature_weight,
                  "Weight of the smooth L1 loss on states, of EAGLE")
      .check(cli::real_number(0, 1e6));
  command.add_option("--token-weight", parallel.token_weight, "Weight of the loss on tokens")
      .check(cli::real_number(0, 1e6));
  command
      .add_option("--slot-decay", parallel.slot_decay,
                  "A drafted token counts this much of the one before it")
      .check(cli::real_number(0, 1));
  command
      .add_option("--start-from", options.start_from,
                  "Start from an earlier drafter of the target and flavour, in place of the "
                  "target's last layer: a checkpoint, the --work folder of a run, or an artifact "
                  "file; eagle can start from eagle-ar, and eagle-ar from eagle, without its masks")
      .type_name("FILE");
  command.refuse_unless(
      {"inputs"}, [&options] { return options.flavour == "medusa"; },
      "only with --flavour medusa; eagle reads both, medusa-heads states");
  command.refuse_unless(
      {"feature-weight"}, [&options] { return options.flavour.starts_with("eagle"); },
      "not with --flavour medusa or medusa-heads, which learn tokens only");
  command.refuse_unless(
      {"no-final-norm"}, [&options] { return options.flavour != "medusa-heads"; },
      "not with --flavour medusa-heads, which has none");
  command.refuse_unless(
      {"masks", "slot-decay"}, [&options] { return options.flavour != "eagle-ar"; },
      "not with --flavour eagle-ar, which has no masks");
  command.refuse_unless(
      {"shared-mask"},
      [&options] { return options.flavour == "eagle" || options.flavour == "medusa"; },
      "only with --flavour eagle or medusa");
  command.refuse_unless(
      {"cache", "cache-only"}, [&options] { return options.inputs != "tokens"; },
      "not with --inputs tokens, which needs no states");
  declare_export_flags(command, options.exported);
  declare_learning_flags(command, options.learning);
}

/// Once all flags are declared.
void refuse_export_flags(cli::CommandOptions& command, const ParallelCommandOptions& options) {
  command.refuse_unless(
      {"export-shape"}, [&options] { return options.flavour == "eagle"; },
      "only with --flavour eagle");
  command.refuse_unless(
      {"state-layers", "mask-token", "out"}, [&options] { return options.is_export(); },
      "only with --export-shape");
  command.refuse_unless(
      {"artifacts", "quantise", "feature-weight", "no-final-norm", "shared-mask"},
      [&options] { return !options.is_export(); },
      "not with --export-shape, whose drafter goes to --out in bf16, learns tokens only, and has a "
      "final norm and one mask");
}

}  // namespace

cli::Command add_parallelspec(CLI::App& program) {
  auto options = std::make_shared<ParallelCommandOptions>();
  cli::CommandOptions command(
      program, "parallelspec",
      "Train a drafter that drafts all tokens of a round in one pass, on the traces of its target");
  declare_data_flags(command, options->run);
  command
      .add_option("--cache", options->cache,
                  "Folder that keeps the target's states, computed once before training")
      .type_name("DIR");
  command.add_flag("--cache-only", options->cache_only, "Fill --cache, and do not train");
  declare_drafter_flags(command, *options);
  declare_training_flags(command, options->run);
  declare_run_flags(command, options->run);
  refuse_export_flags(command, *options);
  command.group("Options");
  command.footer(kParallelExamples);
  return {command,
          [options, command] {
            options->given = command.given();
            train_parallelspec(*options);
          },
          [options](const std::string& resolved) { options->run.resolved = resolved; }};
}

}  // namespace outrider::train
