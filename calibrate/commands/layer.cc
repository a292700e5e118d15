#include "calibrate/commands/answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/copy_study_command.h"
#include "calibrate/report/pld_plus_plots.h"
#include "calibrate/report/study_trials_text.h"
#include "calibrate/studies/layer_study.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/report/pld_plus_report.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kLayerExamples =
    "An interrupted run continues when the same command is given again.\n\n"
    "Examples:\n"
    "  calibrate layer -m MODEL.gguf\n"
    "  calibrate layer -m MODEL.gguf --data traces --artifacts mine.h5\n";

ShownStudy shown_layer(inference::Target& target, const CopyStudy& study, Watch& watch) {
  const FoundLayer found = find_layer(target, study, watch);
  return {report::pld_plus_layer_text(found.layer) +
              study_trials_text(found.tried, target.engine().place().name),
          plot_of(found.layer)};
}

}  // namespace

cli::Command add_layer(CLI::App& program) {
  return add_copy_study(program,
                        {.name = "layer",
                         .description = "Find the layer whose states rank sources to copy from "
                                        "best, and the weight of logits",
                         .footer = kLayerExamples,
                         .compared = "layers",
                         .plotted = "the curves",
                         .group = artifacts::kPldPlusLayer,
                         .samples = AnswerOptions().samples,
                         .find = shown_layer});
}

}  // namespace outrider::calibrate
