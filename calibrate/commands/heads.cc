#include <fmt/core.h>

#include "calibrate/commands/commands.h"
#include "calibrate/commands/copy_study_command.h"
#include "calibrate/report/pld_plus_plots.h"
#include "calibrate/report/study_trials_text.h"
#include "calibrate/studies/heads_study.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/report/pld_plus_report.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kHeadsExamples =
    "Heads are ranked on every other prompt; on the others all numbers of heads are tried. A run "
    "that was\ninterrupted continues when the same command is given again.\n\n"
    "Examples:\n"
    "  calibrate heads -m MODEL.gguf\n"
    "  calibrate heads -m MODEL.gguf --data traces --artifacts mine.h5\n"
    "  calibrate heads -m MODEL.gguf --data traces --artifacts mine.h5 --shard 2/3\n";

ShownStudy shown_heads(inference::Target& target, const CopyStudy& study, Watch& watch) {
  const FoundHeads found = find_heads(target, study, watch);
  std::string text = report::pld_plus_heads_text(found.heads) +
                     study_trials_text(found.tried, target.engine().place().name);
  if (found.tokens < FoundHeads::kEnoughTokens)
    text += fmt::format(
        "\nfewer than {} copied tokens: more prompts, or --data, would rank heads better\n",
        FoundHeads::kEnoughTokens);
  return {text, plot_of(found.heads)};
}

}  // namespace

cli::Command add_heads(CLI::App& program) {
  return add_copy_study(program,
                        {.name = "heads",
                         .description = "Find the heads that attend to the source of copied tokens",
                         .footer = kHeadsExamples,
                         .compared = "heads",
                         .plotted = "the map of the heads' hits and the curves",
                         .group = artifacts::kPldPlusHeads,
                         .samples = 0,
                         .find = shown_heads});
}

}  // namespace outrider::calibrate
