#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "calibrate/commands/commands.h"
#include "calibrate/report/cost_plot.h"
#include "calibrate/report/ngram_trials.h"
#include "calibrate/report/pld_plus_plots.h"
#include "calibrate/report/trials_plot.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/base/error.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/cli/shown_notices.h"
#include "runtime/model/extend_context.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kPlotExamples =
    "Nothing is measured. `runtime inspect checkpoints` lists the groups.\n\n"
    "Examples:\n"
    "  calibrate plot -m MODEL.gguf --group /pld_plus/layer --out layer.svg\n"
    "  calibrate plot -m MODEL.gguf --group /cost/MACHINE --artifacts mine.h5 --out cost.svg\n";

struct PlotOptions {
  std::string model;
  int context = 0;  // 0: the model's
  std::string group;
  std::string artifacts;
  std::string out;
};

using Plot = std::function<std::string(const hdf5::Reader& file, const std::string& group)>;

/// How a group is drawn; nothing for one that no picture shows.
Plot plot_for(const std::string& group) {
  if (group == artifacts::kPldPlusHeads)
    return [](const auto& file, const auto& name) {
      return plot_of(artifacts::read_pld_plus_heads(file, name));
    };
  if (group == artifacts::kPldPlusLayer)
    return [](const auto& file, const auto& name) {
      return plot_of(artifacts::read_pld_plus_layer(file, name));
    };
  if (group == kNgrammysFigures)
    return
        [](const auto& file, const auto& name) { return plot_of(read_ngram_figures(file, name)); };
  if (artifacts::is_trials_group(group))
    return [](const auto& file, const auto& name) {
      return plot_of(artifacts::read_trials(file, name));
    };
  if (artifacts::is_cost_group(group))
    return [](const auto& file, const auto& name) {
      return plot_of(artifacts::read_cost(file, name));
    };
  return nullptr;
}

void run_plot(const PlotOptions& options) {
  const auto target =
      artifacts::identity_of(model::load_for_context(options.model, options.context));
  const artifacts::ArtifactSet known(target, options.artifacts, cli::artifact_folders());
  cli::tell_refused(known);
  const artifacts::ArtifactFile* const file = known.with(options.group);
  const Plot plot = plot_for(options.group);
  if (file == nullptr || plot == nullptr) {
    std::vector<std::string> drawable;
    for (const std::string& group : known.groups())
      if (plot_for(group) != nullptr) drawable.push_back(group);
    throw InputError(fmt::format("--group: expected one of {}; found {}",
                                 drawable.empty() ? "none, as nothing was calibrated"
                                                  : fmt::format("{}", fmt::join(drawable, ", ")),
                                 options.group));
  }
  OutputFile("--out", options.out).write_all(plot(file->reader(), options.group));
}

}  // namespace

cli::Command add_plot(CLI::App& program) {
  auto options = std::make_shared<PlotOptions>();
  cli::CommandOptions command(program, "plot", "Draw what an earlier command found and stored");
  command.footer(kPlotExamples);
  cli::declare_model_flags(command, options->model, options->context);
  command
      .add_option(
          "--group", options->group,
          "/pld_plus/heads, /pld_plus/layer, /ngrammys_figures, /trials/METHOD or /cost/MACHINE")
      .required();
  command
      .add_option(
          "--artifacts", options->artifacts,
          "Results of calibration, a file or a folder of them; what it lacks, and without "
          "this flag all, comes from the files in checkpoints/ that were made for the model")
      .type_name("FILE")
      .reads(cli::artifacts_at);
  command.add_option("--out", options->out, "The picture, as SVG; - is standard output")
      .type_name("FILE")
      .writes()
      .required();
  return {command, [options] { run_plot(*options); }};
}

}  // namespace outrider::calibrate
