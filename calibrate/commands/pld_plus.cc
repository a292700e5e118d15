#include <fmt/core.h>

#include "calibrate/cli/answer_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/report/pld_plus_plots.h"
#include "calibrate/report/study_trials_text.h"
#include "calibrate/studies/heads_study.h"
#include "calibrate/studies/layer_study.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/report/pld_plus_report.h"

// `calibrate heads` and `calibrate layer`: what PLD+ finds the sources of its copies by.
namespace outrider::calibrate {
namespace {

struct CopyOptions : AnswerOptions {
  CopyStudy study;  // but for the answers and files
};

using FindSources = Shown (*)(inference::Target&, const CopyStudy&, Watch&);

/// Declares the flags and runs the study. @param compared, drawn  by its drafts and by --plot
cli::Command copy_command(cli::CommandOptions command, const std::shared_ptr<CopyOptions>& options,
                          const char* compared, const char* drawn, const char* group,
                          FindSources find) {
  declare_answer_flags(command, *options);
  command
      .add_option("--draft-length", options->study.draft_length,
                  fmt::format("Tokens of a draft when {} are compared", compared))
      .check(cli::whole_number(1, 256));
  declare_plot_flag(command, *options, drawn);
  declare_result_flags(command, *options);
  return study_command(command, options, [=](const CopyOptions& given, Watch& watch) {
    run_answer_study(given, group, watch,
                     [&](auto& target, const auto& answers, const auto& files) {
                       return find(target, {answers, given.study.draft_length, files}, watch);
                     });
  });
}

Shown shown_heads(inference::Target& target, const CopyStudy& study, Watch& watch) {
  const FoundHeads found = find_heads(target, study, watch);
  std::string text = report::pld_plus_heads_text(found.heads) +
                     study_trials_text(found.tried, target.engine().place().name);
  if (found.tokens < FoundHeads::kEnoughTokens)
    text += fmt::format(
        "\nfewer than {} copied tokens: more prompts, or --data, would rank heads better\n",
        FoundHeads::kEnoughTokens);
  return {.text = text, .plot = plot_of(found.heads)};
}

Shown shown_layer(inference::Target& target, const CopyStudy& study, Watch& watch) {
  const FoundLayer found = find_layer(target, study, watch);
  return {.text = report::pld_plus_layer_text(found.layer) +
                  study_trials_text(found.tried, target.engine().place().name),
          .plot = plot_of(found.layer)};
}

}  // namespace

cli::Command add_heads(CLI::App& program) {
  auto options = std::make_shared<CopyOptions>();
  options->samples = 0;
  cli::CommandOptions command(program, "heads",
                              "Find the heads that attend to the source of copied tokens");
  command.footer(
      "Heads are ranked on every other prompt; on the others all numbers of heads are tried. A run "
      "that was interrupted continues when the same command is given again.\n\n"
      "Examples:\n"
      "  calibrate heads -m MODEL.gguf\n"
      "  calibrate heads -m MODEL.gguf --data traces --artifacts mine.h5\n"
      "  calibrate heads -m MODEL.gguf --data traces --artifacts mine.h5 --shard 2/3\n");
  return copy_command(command, options, "heads",
                      "the map of the heads' hits and the curves, as SVG", artifacts::kPldPlusHeads,
                      shown_heads);
}

cli::Command add_layer(CLI::App& program) {
  auto options = std::make_shared<CopyOptions>();
  cli::CommandOptions command(
      program, "layer",
      "Find the layer whose states rank sources to copy from best, and the weight of logits");
  command.footer(
      "An interrupted run continues when the same command is given again.\n\n"
      "Examples:\n"
      "  calibrate layer -m MODEL.gguf\n"
      "  calibrate layer -m MODEL.gguf --data traces --artifacts mine.h5\n");
  return copy_command(command, options, "layers", "the curves, as SVG", artifacts::kPldPlusLayer,
                      shown_layer);
}

}  // namespace outrider::calibrate
