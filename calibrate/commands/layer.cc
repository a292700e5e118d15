#include <memory>

#include "calibrate/commands/answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/report/pld_plus_plots.h"
#include "calibrate/report/study_trials_text.h"
#include "calibrate/studies/layer_study.h"
#include "runtime/artifacts/pld_plus.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/report/pld_plus_report.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kLayerExamples =
    "An interrupted run continues when the same command is given again.\n\n"
    "Examples:\n"
    "  calibrate layer -m MODEL.gguf\n"
    "  calibrate layer -m MODEL.gguf --data traces --artifacts mine.h5\n";

struct LayerOptions {
  AnswerOptions answers;
  int draft_length = methods::kDraftLength;
  std::string plot;
  ResultOptions result;
};

void calibrate_layer(const LayerOptions& options) {
  cli::ShownWatch watch("calibrate layer", options.result.minutes, options.answers.quiet);
  inference::Target target(
      target_of_traces(options.answers.target, options.answers.data, options.answers.quiet));
  watch.listen();
  const StudyFiles files = study_files(options.result, target.model(), artifacts::kPldPlusLayer);
  check_answer_source(target, options.answers);
  OutputFile plot("--plot", options.plot);
  const FoundLayer found =
      find_layer(target, {options.answers.source(), options.draft_length, files}, watch);
  plot.write_all(plot_of(found.layer));
  if (!plot.is_standard_output())
    write_output(report::pld_plus_layer_text(found.layer) +
                 study_trials_text(found.tried, target.engine().place().name));
  watch.inform("written to " + files.artifact.string());
}

}  // namespace

cli::Command add_layer(CLI::App& program) {
  auto options = std::make_shared<LayerOptions>();
  cli::CommandOptions command(
      program, "layer",
      "Find the layer whose states rank sources to copy from best, and the weight "
      "of logits");
  command.footer(kLayerExamples);
  declare_answer_flags(command, options->answers);
  command
      .add_option("--draft-length", options->draft_length,
                  "Tokens of a draft when layers are compared")
      .check(cli::whole_number(1, 256));
  command.add_option("--plot", options->plot, "Also draw the curves, as SVG").type_name("FILE");
  declare_result_flags(command, options->result);
  declare_shard_flag(command, options->result,
                     [options] { return !options->answers.data.empty(); });
  cli::declare_minutes_flag(command, options->result.minutes);
  return answer_command(command, options, calibrate_layer);
}

}  // namespace outrider::calibrate
