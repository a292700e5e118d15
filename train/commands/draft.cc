#include "runtime/artifacts/draft.h"

#include <memory>
#include <optional>
#include <set>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/cli/engine_flags.h"
#include "train/commands/choose_head.h"
#include "train/commands/commands.h"
#include "train/commands/draft_start.h"
#include "train/commands/drafter_result.h"
#include "train/commands/learning_flags.h"
#include "train/commands/quantised_draft.h"
#include "train/commands/training_run.h"
#include "train/draft/draft_objective.h"
#include "train/draft/fit_draft.h"

namespace outrider::train {
namespace {

constexpr const char* kDraftExamples =
    "A run that was interrupted, or stopped by --minutes, is resumed by giving the same command "
    "again,\n"
    "and ends in the same bits as an uninterrupted one. The cosine of the learning rate is over "
    "--steps,\n"
    "or over --epochs; --minutes does not change it.\n\n"
    "Examples:\n"
    "  train draft -m MODEL.gguf --data traces --work work\n"
    "  train draft -m MODEL.gguf --data greedy sampled --work work --steps 20000 --minutes 600\n"
    "  train draft -m MODEL.gguf --work work --finish --quantise q4_1 --artifacts mine.h5\n"
    "  train draft -m MODEL.gguf --data mine --work more --start-from work --artifacts mine.h5\n";

constexpr std::int64_t kFittedTokens = 8192;

struct DraftCommandOptions {
  TrainingFlags run;
  std::vector<std::string> layers;  // as written; none: the first and the last
  int vocab_size = 8192;
  LearningFlags learning{.loss = "kl"};
  DraftOptions draft;
  std::string start_from;
  std::set<std::string> given;  // names of the flags on the command line
};

/// Reads --start-from, whose layers are those of the run.
std::optional<DraftStart> read_start(DraftCommandOptions& options, const model::Model& target) {
  if (options.start_from.empty()) return {};
  if (!options.layers.empty())
    throw InputError("--layers: expected none with --start-from, which keeps that draft's own");
  std::optional<DraftStart> start(std::in_place, options.start_from, target);
  options.draft.layers = start->layers();
  options.draft.started_from = start->hash();
  return start;
}

void resolve(DraftCommandOptions& options, const TrainingRun& run) {
  cli::read_whole_numbers("--layers", options.layers, 1, run.target().config.layers,
                          options.draft.layers);
  options.draft.loss.hard_share = options.learning.share_of_hard();
  options.draft.precision = run.precision(options.learning.precision);
  options.draft.most_context = options.learning.most_context;
}

/// Gives the draft what it begins with, by some of what it is trained on.
void fit(const TrainingRun& run, const DraftCommandOptions& options, DraftObjective& objective) {
  const auto engine = cli::make_engine(run.target(), options.run.target_engine(),
                                       options.run.context, run.is_quiet());
  const DraftFit fitted = fit_draft(objective, *engine, run.first_traces(kFittedTokens));
  if (!run.is_quiet())
    print_log("fitted to the target on {} tokens: loss {:.3f} per token\n", fitted.tokens,
              fitted.loss);
}

void train_draft(DraftCommandOptions& options) {
  TrainingRun run(options.run);
  if (options.run.finish) check_finish(options.run, options.given, run.checkpoint().recipe);
  resolve(options, run);
  const std::optional<DraftStart> start = read_start(options, run.target());
  const DrafterResult result(run, options.run, artifacts::kDraft);
  DraftObjective objective(
      run.target(),
      choose_head(run, options.run.finish, start ? &start->head_tokens() : nullptr,
                  options.vocab_size, options.given.contains("vocab-size")),
      options.draft, at::device(run.device()).dtype(at::kFloat));
  run.train(objective, [&] {
    if (start)
      start->give_weights(objective);
    else
      fit(run, options, objective);
  });
  if (!run.leads()) return;
  const model::Model draft = quantised_draft(objective.to_model(), options.learning.quantise);
  result.write("train draft", options.learning.quantise,
               [&](hdf5::Writer& file, const std::string& group) {
                 artifacts::write_draft(draft, objective.options().layers, file, group);
               });
}

void declare_draft_flags(cli::CommandOptions& command, DraftCommandOptions& options) {
  command.group("Draft");
  command
      .add_list("--layers", options.layers,
                "Layers of the target that the draft is initialised from, counted from 1 (default: "
                "the first and the last)")
      .type_name("N");
  command
      .add_option("--vocab-size", options.vocab_size,
                  "Tokens that the draft can propose: the most frequent in the traces; with "
                  "--start-from the earlier draft's are among them (its own alone without this "
                  "flag)")
      .check(cli::whole_number(1, 1 << 24));
  command
      .add_option("--start-from", options.start_from,
                  "Start from an earlier draft of the target, with its layers, in place "
                  "of the target's layers: a checkpoint, the --work folder of a run, or an "
                  "artifact file with /draft")
      .type_name("FILE");
  declare_learning_flags(command, options.learning);
}

}  // namespace

cli::Command add_draft(CLI::App& program) {
  auto options = std::make_shared<DraftCommandOptions>();
  cli::CommandOptions command(program, "draft",
                              "Train a small draft model on the traces of its target");
  declare_data_flags(command, options->run);
  declare_draft_flags(command, *options);
  declare_training_flags(command, options->run);
  declare_run_flags(command, options->run);
  command.group("Options");
  command.footer(kDraftExamples);
  return {command,
          [options, command] {
            options->given = command.given();
            train_draft(*options);
          },
          [options](const std::string& resolved) { options->run.resolved = resolved; }};
}

}  // namespace outrider::train
