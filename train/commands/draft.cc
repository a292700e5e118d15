#include <memory>
#include <string>
#include <vector>

#include "runtime/cli/command_options.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/cli/time_limit.h"
#include "train/commands/commands.h"
#include "train/commands/run_flags.h"
#include "train/run/train_draft.h"
#include "train/run/work_folder.h"

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

struct DraftFlags {
  DraftTraining training;
  std::vector<std::string> layers;  // as written; none: the first and the last
  RunFlags run;
};

void declare_draft_flags(cli::CommandOptions& command, DraftFlags& flags) {
  command.group("Draft");
  command
      .add_list("--layers", flags.layers,
                "Layers of the target that the draft is initialised from, counted from 1 (default: "
                "the first and the last)")
      .type_name("N");
  command
      .add_option(
          "--vocab-size", flags.training.vocab_size,
          "Tokens that the draft can propose: the most frequent in the traces; with --start-from "
          "the earlier draft's are among them (its own alone without this flag)")
      .check(cli::whole_number(1, 1 << 24));
  command
      .add_option(
          "--start-from", flags.training.start_from,
          "Start from an earlier draft of the target, with its layers, in place of the target's "
          "layers: a checkpoint, the --work folder of a run, or an artifact file with /draft")
      .type_name("FILE")
      .reads(run_at);
  declare_learning_flags(command, flags.training.learning);
}

void train(DraftFlags& flags, const cli::CommandOptions& command) {
  flags.run.complete(command, flags.training.run);
  cli::read_whole_numbers("--layers", flags.layers, 1, kMostLayers, flags.training.draft.layers);
  cli::ShownWatch watch("train draft", cli::TimeLimit(), flags.run.quiet);
  if (const auto written = train_draft(std::move(flags.training), watch))
    watch.inform("written to " + written->string());
}

}  // namespace

cli::Command add_draft(CLI::App& program) {
  auto flags = std::make_shared<DraftFlags>();
  RunOptions& run = flags->training.run;
  cli::CommandOptions command(program, "draft",
                              "Train a small draft model on the traces of its target");
  declare_data_flags(command, run);
  declare_draft_flags(command, *flags);
  declare_training_flags(command, run);
  declare_run_flags(command, run, flags->run);
  command.group("Options");
  command.footer(kDraftExamples);
  return {command,
          [flags, command] { train(*flags, command); },
          [flags](const std::string& resolved) { flags->training.run.recipe = resolved; },
          {},
          [flags] { return earlier_options(flags->training.run); }};
}

}  // namespace outrider::train
