#include <memory>
#include <string>
#include <vector>

#include "data/store/manifest.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/draft_flags.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/result_flags.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/cli/time_limit.h"
#include "train/commands/commands.h"
#include "train/commands/disco_report.h"
#include "train/run/train_disco.h"

namespace outrider::train {
namespace {

constexpr const char* kDiscoExamples =
    "The stores need the draft model's scores (data traces --add-to), and this machine's pass "
    "times have\n"
    "to be known (calibrate cost). The threshold and the longest round are those that replaying "
    "the\n"
    "validation prompts predicts to be the fastest. Two classifiers are made for each temperature: "
    "DISCO as\n"
    "published (runtime decode --draft-stop disco), and the fastest of those that --label, "
    "--inputs and --rule\n"
    "leave (--draft-stop classifier). An interrupted run continues when the same command is given "
    "again.\n\n"
    "Examples:\n"
    "  data traces -m MODEL.gguf --add-to traces\n"
    "  train disco -m MODEL.gguf --data traces\n"
    "  train disco -m MODEL.gguf --data traces --test others --plot reliability.svg --json -\n"
    "  train disco -m MODEL.gguf --data code-traces --set code\n"
    "  train disco -m MODEL.gguf --data traces --cost-ratio 0.05 --artifacts other-hardware.h5\n";

struct DiscoFlags {
  DiscoTraining training;
  cli::EngineFlags engine;
  std::string json, plot;
  double minutes = 0;  // that it may take before it is interrupted; 0: any
  bool quiet = false;
};

void train(DiscoFlags& flags, const cli::TimeLimit& limit) {
  flags.training.engine = cli::engine_options(flags.engine, flags.quiet);
  cli::ShownWatch watch("train disco", limit, flags.quiet);
  DiscoRun run(flags.training, watch);
  OutputFile json("--json", flags.json), plot("--plot", flags.plot);
  const std::vector<DiscoFinding> findings = run.train();
  json.write_all(disco_json(findings));
  plot.write_all(disco_plot(findings));
  if (!json.is_standard_output() && !plot.is_standard_output())
    write_output(disco_text(findings, flags.training.cost_ratio ? "per pass" : "per second"));
  for (const std::filesystem::path& one : run.artifacts())
    watch.inform("written to " + one.string());
}

void declare_stop_flags(cli::CommandOptions& command, StopChoice& choice) {
  command
      .add_option(
          "--label", choice.label,
          "hard: whether the draft's token is accepted; soft: the probability of that over the "
          "sampling noise; tv: 1 less the total variation distance between the distributions of "
          "draft and target, the loss of the paper's section 3; faster: at each temperature what "
          "is predicted to be faster. DISCO as published is trained with hard or tv labels")
      .check(cli::one_of({"faster", "hard", "soft", "tv"}));
  command
      .add_option(
          "--inputs", choice.inputs,
          "paper: ten probabilities, entropy and position; drawn: also which token was drawn, by "
          "its probability and, unless by rejection, how far its sum with the noise leads the "
          "second best; text: also whether that token followed the longest earlier occurrence of "
          "the text's last tokens; faster: what is predicted to be faster")
      .check(cli::one_of({"faster", "paper", "drawn", "text"}));
  command
      .add_option(
          "--rule", choice.rule,
          "The threshold is of a token's probability to be accepted, as in the paper (token), or "
          "of that of the draft so far, the product (path); faster: what is predicted to be faster")
      .check(cli::one_of({"faster", "token", "path"}));
  command
      .add_option(
          "--verify", choice.verify,
          "The verification that labels, thresholds and lengths are for, as in runtime decode")
      .check(cli::one_of({"coupled", "rejection"}));
  command.refuse_unless(
      {"inputs"},
      [&choice] {
        return choice.inputs == "faster" || choice.inputs == "paper" ||
               (choice.label != "tv" && (choice.label != "soft" || choice.verify == "rejection"));
      },
      "drawn and text not with tv labels, and with soft ones only with --verify rejection");
}

void declare_result_flags(cli::CommandOptions& command, DiscoFlags& flags) {
  flags.training.folders = cli::artifact_folders();
  cli::declare_results_flag(command, flags.training.artifacts);
  cli::declare_device_flag(command, flags.engine);
  cli::declare_threads_flag(command, flags.engine);
  cli::declare_numerics_flags(command, flags.engine);
  cli::declare_isa_flag(command, flags.engine);
  command.group("Output");
  command
      .add_option("--json", flags.json,
                  "Write the results to this file; - is standard output, instead of the text")
      .type_name("FILE")
      .writes();
  command
      .add_option("--plot", flags.plot,
                  "Also draw a reliability diagram of the probabilities, as SVG")
      .type_name("FILE")
      .writes();
  cli::declare_minutes_flag(command, flags.minutes);
  command.add_flag("--quiet", flags.quiet, "No figures on standard error");
}

}  // namespace

cli::Command add_disco(CLI::App& program) {
  auto flags = std::make_shared<DiscoFlags>();
  DiscoTraining& training = flags->training;
  cli::CommandOptions command(program, "disco",
                              "Train classifiers that stop a draft model: DISCO, and beyond it");
  cli::declare_model_flags(command, training.model, training.context);
  command
      .add_list("--data", training.data,
                "Folders of the model's traces, with scores of the draft model")
      .type_name("DIR")
      .reads(data::store_at)
      .required();
  command
      .add_list(
          "--validation-data", training.validation_data,
          "Other traces to calibrate and to choose the threshold on, instead of a share of --data")
      .type_name("DIR")
      .reads(data::store_at);
  command
      .add_list("--test", training.test,
                "Other traces on which only to report what was chosen; none of their prompts "
                "should be in --data")
      .type_name("DIR")
      .reads(data::store_at);
  command
      .add_option("--set", training.set,
                  "What set of texts the traces are of, for runtime decode --disco-set")
      .type_name("NAME");
  cli::declare_draft_flags(command, training.draft, training.draft_vocab);
  command
      .add_option("--validation", training.validation,
                  "Share of the prompts for calibrating and choosing the threshold")
      .check(cli::real_number(0, 0.9));
  command.refuse_unless(
      {"validation"}, [flags] { return flags->training.validation_data.empty(); },
      "not with --validation-data, which takes its place");
  command.add_flag("--loops", training.loops,
                   "Tokens in loops count too: for decoding that does not end in them");
  command
      .add_option("--cost-ratio", training.cost_ratio,
                  "Times of other hardware than this: a draft step takes this share of a pass, and "
                  "a pass over any number of tokens as long as over one; needs --artifacts, since "
                  "what is chosen is not for this machine")
      .check(cli::real_number(0, 100));
  command.refuse_unless(
      {"cost-ratio"}, [flags] { return !flags->training.artifacts.empty(); },
      "only with --artifacts FILE, since what is chosen for other hardware is not for this "
      "machine");
  command.group("Training");
  declare_stop_flags(command, training.stops);
  command.add_option("--epochs", training.fit.epochs, "Passes over the tokens")
      .check(cli::whole_number(1, 10000));
  command.add_option("--batch", training.fit.batch, "Tokens of a step")
      .check(cli::whole_number(1, 1 << 20));
  command
      .add_option("--learning-rate", training.fit.learning_rate,
                  "At first; it falls to 0 by a cosine")
      .check(cli::real_number(1e-9, 10));
  command
      .add_option("--seed", training.fit.seed,
                  "Seed of the division of prompts, of the first weights and of the order")
      .check(cli::whole_number(0, INT64_MAX));
  command.group("Result");
  declare_result_flags(command, *flags);
  command.group("Options");
  command.footer(kDiscoExamples);
  return {command,
          [flags] {
            const cli::TimeLimit limit(flags->minutes);
            cli::keep_to(limit, [&] { train(*flags, limit); });
          },
          [flags](const std::string& resolved) { flags->training.recipe = resolved; }};
}

}  // namespace outrider::train
