#include <fmt/core.h>

#include <memory>
#include <optional>

#include "calibrate/commands/commands.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/cost/every_drafter.h"
#include "calibrate/report/cost_plot.h"
#include "calibrate/report/cost_text.h"
#include "calibrate/studies/cost_study.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/pass_flags.h"
#include "runtime/cli/shown_notices.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/model/extend_context.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kCostExamples =
    "As many rounds are timed as the minutes have room for; a model that is too large for three "
    "gets\nfewer passes. Points between those of the grid are timed in the same rounds, but not "
    "used: the error\nof the prediction is measured on them. A tenth of the time is for "
    "drafters.\n\n"
    "Examples:\n"
    "  calibrate cost -m MODEL.gguf --plot cost.svg\n"
    "  calibrate cost -m MODEL.gguf --sequences 1 2 4 8 16    # what a server needs\n"
    "  calibrate cost -m MODEL.gguf --threads 2 --rounds 9\n"
    "  calibrate cost -m MODEL.gguf --add    # an hour later: the mean of both\n"
    "  calibrate cost -m MODEL.gguf --rows 1 2 4 8 16 --contexts 100 1000\n";

constexpr int kMostSequences = 64;

struct CostOptions {
  std::string model;
  int context = 0;  // 0: the model's
  cli::PassFlags passes;
  std::vector<std::string> sequences;
  CostStudy study;
  cli::EngineFlags engine;
  std::string plot;
  bool add = false;
  bool quiet = false;
  ResultOptions result;
};

/// The times to which --add adds; nothing without it, or where there are none.
std::optional<cost::MachineCost> stored_times(const CostOptions& options,
                                              const artifacts::TargetIdentity& target,
                                              const std::string& group) {
  if (!options.add) return std::nullopt;
  const artifacts::ArtifactSet known = known_artifacts(options.result, target);
  const artifacts::ArtifactFile* file = known.with(group);
  if (file == nullptr) return std::nullopt;
  return artifacts::read_cost(file->reader(), group);
}

void run_cost(CostOptions& options) {
  const Stopwatch begun;
  cli::ShownWatch watch("calibrate cost", options.result.limit, options.quiet);
  const model::Model model = model::load_for_context(options.model, options.context);
  CostStudy& study = options.study;
  read_pass_flags(options.passes, model.config, study.threads, study.rows, study.contexts);
  cli::read_whole_numbers("--sequences", options.sequences, 1, kMostSequences, study.sequences);
  const artifacts::TargetIdentity target = artifacts::identity_of(model);
  const auto engine = cli::make_engine(model, options.engine, options.context, options.quiet);
  const std::string group = artifacts::cost_group(engine->place().name);
  const StudyFiles files = study_files(options.result, model, group);
  OutputFile plot("--plot", options.plot);
  EveryDrafter every =
      every_drafter({model, *engine, cli::artifact_folders(), 0, nullptr, cli::notices(false)},
                    artifacts_to_read(options.result, target));
  watch.listen();
  study.stored = stored_times(options, target, group);
  const cost::MachineCost measured =
      find_costs(*engine, study, std::move(every.drafters), begun, watch);
  files.write(target, group, {.command = "calibrate cost"},
              [&](hdf5::Writer& file, const std::string& name) {
                artifacts::write_cost(measured, file, name);
              });
  plot.write_all(plot_of(measured));
  if (!plot.is_standard_output())
    write_output(fmt::format("{}: {}\n", files.artifact.string(), group) +
                 cost_text(measured, every.left_out));
}

}  // namespace

cli::Command add_cost(CLI::App& program) {
  auto options = std::make_shared<CostOptions>();
  cli::CommandOptions command(
      program, "cost",
      "Time passes of the model and steps of drafters on this machine, and fit a cost model");
  command.footer(kCostExamples);
  declare_model_flags(command, options->model, options->context);
  declare_result_flags(command, options->result);
  declare_pass_flags(command, options->passes, "11 numbers to 48", "100 1000");
  command.add_list(
      "--sequences", options->sequences,
      "Besides passes of one sequence, those of 1, 2, 4 and 8 rows of each of several: "
      "what a row more costs where many answers are decoded at once (default: 1)");
  command
      .add_option("--minutes", options->study.minutes,
                  "Time for all of it, by which rounds and passes are chosen (default: 1; with "
                  "--rounds as long as they take)")
      .check(cli::real_number(0, cli::kMostMinutes));
  command
      .add_option("--rounds", options->study.rounds,
                  "Every point is timed in each round, but long passes only in the first of them "
                  "(default: as many as --minutes has room for, at most 9)")
      .check(cli::whole_number(1, 1000));
  declare_device_flag(command, options->engine);
  declare_numerics_flags(command, options->engine);
  declare_isa_flag(command, options->engine);
  command
      .add_option("--plot", options->plot,
                  "Also draw the cost of k drafts of w tokens, as an SVG heat map, for the last "
                  "number of threads")
      .type_name("FILE")
      .writes();
  command.add_flag(
      "--add", options->add,
      "Store the mean of the runs stored before and this one: on a shared machine memory is "
      "faster at some hours than at others, and what is fastest changes with it");
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return result_command(command, options, run_cost);
}

}  // namespace outrider::calibrate
