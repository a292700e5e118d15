#include <memory>
#include <string>
#include <vector>

#include "data/reader/state_cache.h"
#include "runtime/cli/command_options.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/cli/time_limit.h"
#include "train/commands/commands.h"
#include "train/commands/run_flags.h"
#include "train/run/train_parallelspec.h"
#include "train/run/work_folder.h"

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

struct ParallelSpecFlags {
  ParallelSpecTraining training;
  std::string flavour = "eagle";
  std::string inputs = "hidden";
  bool no_final_norm = false;
  std::vector<std::string> state_layers;  // as written
  RunFlags run;

  bool is_export() const { return flavour == "eagle" && !training.exported.shape.empty(); }
};

void declare_export_flags(cli::CommandOptions& command, ParallelSpecFlags& flags) {
  ExportOptions& exported = flags.training.exported;
  command
      .add_option("--export-shape", exported.shape,
                  "vllm: train the variant of eagle that vLLM serves (P-EAGLE), and the runtime "
                  "does not: it reads states of three layers and learns tokens only, with a head "
                  "of its own and one mask")
      .check(cli::one_of({"vllm"}));
  command.add_list("--state-layers", flags.state_layers,
                   "Three layers of the target whose states it reads, counted from 1 (default: of "
                   "n layers 2, n / 2 and n - 3)");
  command
      .add_option("--mask-token", exported.mask_token,
                  "Token whose embedding the masks read (default: the first that the tokenizer "
                  "does not use, else the one that ends texts)")
      .check(cli::whole_number(0, 1 << 24));
  command
      .add_option("--out", exported.out,
                  "Folder to write it to, as vLLM loads it (default: the checkpoint alone has it, "
                  "and --finish writes it)")
      .type_name("DIR");
}

void declare_drafter_flags(cli::CommandOptions& command, ParallelSpecFlags& flags) {
  ParallelSpecOptions& parallel = flags.training.parallel;
  command.group("Drafter");
  command
      .add_option(
          "--flavour", flags.flavour,
          "eagle: reads the target's states and tokens, learns its next states; medusa: reads one "
          "of them, learns tokens; eagle-ar: eagle without masks, which drafts token by token, and "
          "medusa-heads: a head for each token, over the last state, for comparison")
      .check(cli::one_of(draft::flavour_names()));
  command
      .add_option("--preset", flags.training.preset,
                  "Of the settings that are not given: the defaults shown here, or the paper's: "
                  "all positions, all tokens, the plain sum of a group's losses with the text's "
                  "own tokens as labels, 4 masks, its optimiser and passes (40, of medusa 20)")
      .check(cli::one_of({"default", "paper"}));
  command
      .add_option("--inputs", flags.inputs,
                  "What Medusa reads: tokens, or hidden: the target's states after its final norm")
      .check(cli::one_of({"tokens", "hidden"}));
  command
      .add_option("--masks", parallel.shape.masks,
                  "Masks: tokens drafted beyond the first; of medusa-heads its heads")
      .check(cli::whole_number(1, 32));
  command.add_flag("--shared-mask", parallel.shape.shared_mask,
                   "One mask at all positions in place of a different one at each");
  command
      .add_option("--feed-forward", parallel.shape.feed_forward,
                  "Width of the layer's feed-forward network, which keeps the strongest units of "
                  "the target's last layer: a narrower one drafts faster; 0: the target's width; "
                  "with --start-from an artifact file the next strongest are added")
      .check(cli::whole_number(0, 1 << 24));
  command
      .add_option(
          "--vocab-size", flags.training.vocab_size,
          "Tokens that the drafter can propose: the most frequent in the traces; with --start-from "
          "the earlier drafter's are among them (its own alone without this flag)")
      .check(cli::whole_number(1, 1 << 24));
  command.add_flag("--no-final-norm", flags.no_final_norm,
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
      .add_option("--start-from", flags.training.start_from,
                  "Start from an earlier drafter of the target and flavour, in place of the "
                  "target's last layer: a checkpoint, the --work folder of a run, or an artifact "
                  "file; eagle can start from eagle-ar, and eagle-ar from eagle, without its masks")
      .type_name("FILE")
      .reads(run_at);
  command.refuse_unless(
      {"inputs"}, [&flags] { return flags.flavour == "medusa"; },
      "only with --flavour medusa; eagle reads both, medusa-heads states");
  command.refuse_unless(
      {"feature-weight"}, [&flags] { return flags.flavour.starts_with("eagle"); },
      "not with --flavour medusa or medusa-heads, which learn tokens only");
  command.refuse_unless(
      {"no-final-norm", "feed-forward"}, [&flags] { return flags.flavour != "medusa-heads"; },
      "not with --flavour medusa-heads, which has none");
  command.refuse_unless(
      {"masks", "slot-decay"}, [&flags] { return flags.flavour != "eagle-ar"; },
      "not with --flavour eagle-ar, which has no masks");
  command.refuse_unless(
      {"shared-mask"}, [&flags] { return flags.flavour == "eagle" || flags.flavour == "medusa"; },
      "only with --flavour eagle or medusa");
  command.refuse_unless(
      {"cache", "cache-only"}, [&flags] { return flags.inputs != "tokens"; },
      "not with --inputs tokens, which needs no states");
  declare_export_flags(command, flags);
  declare_learning_flags(command, flags.training.learning);
  command
      .add_option("--head", flags.training.head,
                  "Where the head comes from, whose rows are the target's: own, stored in the "
                  "result as --quantise says; target, read from the target's file; auto, target "
                  "unless its rows are larger there")
      .check(cli::one_of({"auto", "own", "target"}));
}

/// Once all flags are declared.
void refuse_export_flags(cli::CommandOptions& command, const ParallelSpecFlags& flags) {
  command.refuse_unless(
      {"export-shape"}, [&flags] { return flags.flavour == "eagle"; }, "only with --flavour eagle");
  command.refuse_unless(
      {"state-layers", "mask-token", "out"}, [&flags] { return flags.is_export(); },
      "only with --export-shape");
  command.refuse_unless(
      {"artifacts", "quantise", "head", "feature-weight", "no-final-norm", "shared-mask"},
      [&flags] { return !flags.is_export(); },
      "not with --export-shape, whose drafter goes to --out in bf16, learns tokens only, and has a "
      "final norm and one mask");
}

void train(ParallelSpecFlags& flags, const cli::CommandOptions& command) {
  ParallelSpecTraining& training = flags.training;
  flags.run.complete(command, training.run);
  training.parallel.shape.flavour = draft::flavour_named(flags.flavour).value();
  training.parallel.shape.token_inputs = flags.inputs == "tokens";
  training.parallel.final_norm = !flags.no_final_norm;
  cli::read_whole_numbers("--state-layers", flags.state_layers, 1, kMostLayers,
                          training.exported.state_layers);
  cli::ShownWatch watch("train parallelspec", cli::TimeLimit(), flags.run.quiet);
  if (const auto written = train_parallelspec(std::move(training), watch))
    watch.inform("written to " + written->string());
}

}  // namespace

cli::Command add_parallelspec(CLI::App& program) {
  auto flags = std::make_shared<ParallelSpecFlags>();
  ParallelSpecTraining& training = flags->training;
  cli::CommandOptions command(
      program, "parallelspec",
      "Train a drafter that drafts all tokens of a round in one pass, on the traces of its target");
  declare_data_flags(command, training.run);
  command
      .add_option("--cache", training.cache,
                  "Folder that keeps the target's states, computed once before training")
      .type_name("DIR")
      .reads(data::cache_at);
  command.add_flag("--cache-only", training.cache_only, "Fill --cache, and do not train");
  declare_drafter_flags(command, *flags);
  declare_training_flags(command, training.run);
  declare_run_flags(command, training.run, flags->run);
  refuse_export_flags(command, *flags);
  command.group("Options");
  command.footer(kParallelExamples);
  return {command,
          [flags, command] { train(*flags, command); },
          [flags](const std::string& resolved) { flags->training.run.recipe = resolved; },
          {},
          [flags] { return earlier_options(flags->training.run); }};
}

}  // namespace outrider::train
