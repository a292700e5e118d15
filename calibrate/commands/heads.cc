#include <fmt/core.h>

#include <memory>

#include "calibrate/commands/answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/report/pld_plus_plots.h"
#include "calibrate/report/study_trials_text.h"
#include "calibrate/studies/heads_study.h"
#include "runtime/artifacts/pld_plus.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/shown_watch.h"
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

struct HeadsOptions {
  AnswerOptions answers;
  int draft_length = methods::kDraftLength;
  std::string plot;
  ResultOptions result;

  HeadsOptions() { answers.samples = 0; }
};

void calibrate_heads(const HeadsOptions& options) {
  cli::ShownWatch watch("calibrate heads", options.result.minutes, options.answers.quiet);
  inference::Target target(
      target_of_traces(options.answers.target, options.answers.data, options.answers.quiet));
  watch.listen();
  const StudyFiles files = study_files(options.result, target.model(), artifacts::kPldPlusHeads);
  check_answer_source(target, options.answers);
  OutputFile plot("--plot", options.plot);
  const FoundHeads found =
      find_heads(target, {options.answers.source(), options.draft_length, files}, watch);
  plot.write_all(plot_of(found.heads));
  if (!plot.is_standard_output()) {
    write_output(report::pld_plus_heads_text(found.heads) +
                 study_trials_text(found.tried, target.engine().place().name));
    if (found.tokens < FoundHeads::kEnoughTokens)
      write_output(fmt::format(
          "\nfewer than {} copied tokens: more prompts, or --data, would rank heads better\n",
          FoundHeads::kEnoughTokens));
  }
  watch.inform("written to " + files.artifact.string());
}

}  // namespace

cli::Command add_heads(CLI::App& program) {
  auto options = std::make_shared<HeadsOptions>();
  cli::CommandOptions command(program, "heads",
                              "Find the heads that attend to the source of copied tokens");
  command.footer(kHeadsExamples);
  declare_answer_flags(command, options->answers);
  command
      .add_option("--draft-length", options->draft_length,
                  "Tokens of a draft when heads are compared")
      .check(cli::whole_number(1, 256));
  command
      .add_option("--plot", options->plot,
                  "Also draw the map of the heads' hits and the curves, as SVG")
      .type_name("FILE");
  declare_result_flags(command, options->result);
  declare_shard_flag(command, options->result,
                     [options] { return !options->answers.data.empty(); });
  cli::declare_minutes_flag(command, options->result.minutes);
  return answer_command(command, options, calibrate_heads);
}

}  // namespace outrider::calibrate
