#include <fmt/core.h>

#include "calibrate/cli/study_command.h"
#include "calibrate/commands/commands.h"
#include "calibrate/report/cost_plot.h"
#include "calibrate/report/cost_text.h"
#include "calibrate/studies/cost_study.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/cli/pass_flags.h"
#include "runtime/cli/result_flags.h"
#include "runtime/cli/target_flags.h"
#include "runtime/model/extend_context.h"

namespace outrider::calibrate {
namespace {

constexpr int kMostSequences = 64;

struct CostOptions : StudyFlags {
  cli::TargetFlags target;  // but for chats
  cli::PassFlags passes;
  std::vector<std::string> sequences;
  CostStudy study;
};

void run_cost(CostOptions& options, Watch& watch) {
  CostStudy& study = options.study;
  study.time = Stopwatch();
  const model::Model model = model::load_for_context(options.target.model, options.target.context);
  read_pass_flags(options.passes, model.config, study.threads, study.rows, study.contexts);
  cli::read_whole_numbers("--sequences", options.sequences, 1, kMostSequences, study.sequences);
  const auto engine =
      cli::make_engine(model, options.target.engine, options.target.context, options.quiet);
  const std::string group = artifacts::cost_group(engine->place().name);
  study.files = options.files.of_group(artifacts::identity_of(model), group);
  ShownFiles files(options);
  const FoundCosts found = find_costs(model, *engine, study, watch);
  files.show({.text = fmt::format("{}: {}\n", study.files.artifact.string(), group) +
                      cost_text(found.measured, found.left_out),
              .plot = plot_of(found.measured)});
}

}  // namespace

cli::Command add_cost(CLI::App& program) {
  auto options = std::make_shared<CostOptions>();
  CostStudy& study = options->study;
  cli::CommandOptions command(
      program, "cost",
      "Time passes of the model and steps of drafters on this machine, and fit a cost model");
  command.footer(
      "As many rounds are timed as the minutes have room for; a model that is too large for three "
      "gets fewer passes. Points between those of the grid are timed in the same rounds, but not "
      "used: the error of the prediction is measured on them. A tenth of the time is for "
      "drafters.\n\n"
      "Examples:\n"
      "  calibrate cost -m MODEL.gguf --plot cost.svg\n"
      "  calibrate cost -m MODEL.gguf --sequences 1 2 4 8 16    # what a server needs\n"
      "  calibrate cost -m MODEL.gguf --threads 2 --rounds 9\n"
      "  calibrate cost -m MODEL.gguf --add    # an hour later: the mean of both\n"
      "  calibrate cost -m MODEL.gguf --rows 1 2 4 8 16 --contexts 100 1000\n");
  declare_model_flags(command, options->target.model, options->target.context);
  cli::declare_results_flag(command, options->files.artifacts);
  declare_pass_flags(command, options->passes, "11 numbers to 48", "100 1000");
  command.add_list(
      "--sequences", options->sequences,
      "Besides passes of one sequence, those of 1, 2, 4 and 8 rows of each of several: what a row "
      "more costs where many answers are decoded at once (default: 1)");
  command
      .add_option("--minutes", study.minutes,
                  "Time for all of it, by which rounds and passes are chosen (default: 1; with "
                  "--rounds as long as they take)")
      .check(cli::real_number(0, cli::kMostMinutes));
  command
      .add_option("--rounds", study.rounds,
                  "Every point is timed in each round, but long passes only in the first of them "
                  "(default: as many as --minutes has room for, at most 9)")
      .check(cli::whole_number(1, 1000));
  declare_device_flag(command, options->target.engine);
  declare_numerics_flags(command, options->target.engine);
  declare_isa_flag(command, options->target.engine);
  declare_plot_flag(
      command, *options,
      "the cost of k drafts of w tokens, as an SVG heat map, for the last number of threads");
  command.add_flag(
      "--add", study.add,
      "Store the mean of the runs stored before and this one: on a shared machine memory is faster "
      "at some hours than at others, and what is fastest changes with it");
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return study_command(command, options, run_cost);
}

}  // namespace outrider::calibrate
