#include "calibrate/cli/study_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/report/stored_plot.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/cli/shown_notices.h"
#include "runtime/model/extend_context.h"

namespace outrider::calibrate {
namespace {

struct PlotOptions : StudyFlags {
  std::string model;
  int context = 0;  // 0: the model's
  std::string group;
};

void run_plot(const PlotOptions& options, Watch& /*watch*/) {
  const model::Model model = model::load_for_context(options.model, options.context);
  const artifacts::ArtifactSet known(artifacts::identity_of(model), options.files.artifacts,
                                     options.files.folders);
  cli::tell_refused(known);
  OutputFile("--out", options.plot).write_all(stored_plot(known, options.group));
}

}  // namespace

cli::Command add_plot(CLI::App& program) {
  auto options = std::make_shared<PlotOptions>();
  cli::CommandOptions command(program, "plot", "Draw what an earlier command found and stored");
  command.footer(
      "Nothing is measured. `runtime inspect checkpoints` lists the groups.\n\n"
      "Examples:\n"
      "  calibrate plot -m MODEL.gguf --group /pld_plus/layer --out layer.svg\n"
      "  calibrate plot -m MODEL.gguf --group /cost/MACHINE --artifacts mine.h5 --out cost.svg\n");
  cli::declare_model_flags(command, options->model, options->context);
  command
      .add_option(
          "--group", options->group,
          "/pld_plus/heads, /pld_plus/layer, /ngrammys_figures, /trials/METHOD or /cost/MACHINE")
      .required();
  command
      .add_option(
          "--artifacts", options->files.artifacts,
          "Results of calibration, a file or a folder of them; what it lacks, and without this "
          "flag all, comes from the files in checkpoints/ that were made for the model")
      .type_name("FILE")
      .reads(cli::artifacts_at);
  command.add_option("--out", options->plot, "The picture, as SVG; - is standard output")
      .type_name("FILE")
      .writes()
      .required();
  return study_command(command, options, run_plot);
}

}  // namespace outrider::calibrate
