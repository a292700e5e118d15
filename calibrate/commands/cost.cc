#include "runtime/artifacts/cost.h"

#include <fmt/format.h>

#include <memory>

#include "calibrate/commands/commands.h"
#include "calibrate/commands/cost_plot.h"
#include "calibrate/commands/every_drafter.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/cost/measure_cost.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/pass_flags.h"
#include "runtime/cli/progress.h"
#include "runtime/cost/timed_workers.h"
#include "runtime/report/drafter_costs_text.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kCostExamples =
    "Points between those of the grid are timed in the same rounds, but not used: the error "
    "of the prediction is measured on them.\n\n"
    "Examples:\n"
    "  calibrate cost -m MODEL.gguf --plot cost.svg\n"
    "  calibrate cost -m MODEL.gguf --threads 2 --rounds 9\n"
    "  calibrate cost -m MODEL.gguf --add    # an hour later: the mean of both\n"
    "  calibrate cost -m MODEL.gguf --rows 1 2 4 8 16 --contexts 100 1000\n";

struct CostOptions {
  std::string model;
  cli::PassFlags passes;
  int rounds = 5;
  cli::EngineFlags engine;
  std::string plot;
  bool add = false;
  bool quiet = false;
  ResultOptions result;
};

CostGrid grid_of(const CostOptions& options, const model::ModelConfig& config) {
  CostGrid grid;
  grid.rounds = options.rounds;
  read_pass_flags(options.passes, config, grid.threads, grid.rows, grid.contexts);
  return grid;
}

std::string table_text(const cost::ThreadsCost& cost) {
  std::string text = fmt::format("{:>7} {:>7} {:>5} {:>6} {:>9}  (spread)\n", "threads", "context",
                                 "rows", "shape", "ms");
  for (const cost::PassTime& pass : cost.passes) {
    if (pass.held_out) continue;
    text += fmt::format("{:>7} {:>7} {:>5} {:>6} {:>9.3f}  ({:.3f}-{:.3f})\n", cost.threads,
                        pass.point.context, pass.point.rows,
                        pass.point.shape == cost::Shape::kTree ? "tree" : "chain",
                        1e3 * pass.seconds.median, 1e3 * pass.seconds.low, 1e3 * pass.seconds.high);
  }
  const std::vector<cost::TimedPass> held_out = cost.medians(true);
  if (held_out.empty()) return text + "The grid leaves no point between its own to predict.\n";
  const cost::CostModel model(cost.medians(false));
  const cost::Spread errors = cost::spread_of(cost::relative_errors(model, held_out));
  return text + fmt::format(
                    "{} threads: {} points between predicted with a median error of {:.1f} %, "
                    "a tenth of them by more than {:.1f} %\n",
                    cost.threads, held_out.size(), 100 * errors.median, 100 * errors.high);
}

/// @throws Interrupted
cost::DrafterCosts drafter_costs(const CostOptions& options, const CostGrid& grid,
                                 engine::Engine& engine, std::vector<NamedDrafter> drafters) {
  cli::Progress progress("turns of the drafters", std::ssize(grid.contexts) * grid.rounds,
                         options.quiet);
  return measure_drafters(engine, std::move(drafters), grid.contexts, grid.rounds, [&](int turn) {
    progress.show(turn);
    return !interrupted();
  });
}

std::string drafters_text(const cost::DrafterCosts& costs,
                          const std::vector<std::string>& left_out) {
  std::string text = "\n" + report::drafter_costs_text(costs);
  if (left_out.empty()) return text;
  return text + fmt::format("not calibrated yet, so not timed: {}\n", fmt::join(left_out, ", "));
}

/// The times to which --add adds; nothing without it, or where there are none.
/// @param planned  what will be measured, without times
/// @throws InputError where the stored times are of other passes
std::optional<cost::MachineCost> stored_times(const CostOptions& options,
                                              const artifacts::TargetIdentity& target,
                                              const std::string& group,
                                              const cost::MachineCost& planned) {
  if (!options.add) return std::nullopt;
  const artifacts::ArtifactSet known = known_artifacts(options.result, target);
  const artifacts::ArtifactFile* file = known.with(group);
  if (file == nullptr) return std::nullopt;
  cost::MachineCost stored = artifacts::read_cost(file->reader(), group);
  if (!cost::are_of_same_passes(stored, planned))
    throw InputError(fmt::format(
        "--add: expected the threads, rows, contexts, numerics and instruction set of the "
        "times stored in {}, found others; give the same flags, or leave --add out to "
        "replace them",
        group));
  return stored;
}

void run_cost(const CostOptions& options) {
  const model::Model model = model::load_model(options.model);
  CostGrid grid = grid_of(options, model.config);
  const artifacts::TargetIdentity target = artifacts::identity_of(model);
  const auto engine = cli::make_engine(model, options.engine, options.quiet);
  cost::time_usual_workers(*engine, grid.threads);
  const std::string group = artifacts::cost_group(engine->place().name);
  result_file(options.result, target, group);
  OutputFile plot("--plot", options.plot);
  EveryDrafter every = every_drafter(model, *engine, artifacts_to_read(options.result, target));
  catch_interrupts();
  cli::Progress progress("rounds", grid.rounds, options.quiet);
  cost::MachineCost measured;
  measured.machine = engine->place().name;
  measured.numerics = engine->numerics_name();
  measured.isa = engine->place().unit;
  measured.passes = untimed_passes(grid);
  measured.drafters.contexts = grid.contexts;
  const auto stored = stored_times(options, target, group, measured);
  measured.passes = measure_cost(*engine, grid, [&](int round) {
    progress.show(round);
    return !interrupted();
  });
  if (interrupted()) throw Interrupted();
  measured.drafters = drafter_costs(options, grid, *engine, std::move(every.drafters));
  if (stored) measured = cost::mean_of(*stored, measured);
  const auto path = write_result(options.result, target, group, "calibrate cost", 0, "",
                                 [&](hdf5::Writer& file, const std::string& name) {
                                   artifacts::write_cost(measured, file, name);
                                 });
  plot.write_all(plot_of(measured));
  std::string text = fmt::format("{}: {}\n", path.string(), group);
  if (measured.runs > 1) text += fmt::format("means of {} runs\n", measured.runs);
  for (const cost::ThreadsCost& cost : measured.passes) text += table_text(cost);
  text += drafters_text(measured.drafters, every.left_out);
  if (!plot.is_standard_output()) write_output(text);
}

}  // namespace

cli::Command add_cost(CLI::App& program) {
  auto options = std::make_shared<CostOptions>();
  cli::CommandOptions command(
      program, "cost",
      "Time passes of the model and steps of drafters on this machine, and fit a cost model");
  command.footer(kCostExamples);
  declare_model_flag(command, options->model);
  declare_result_flags(command, options->result);
  declare_pass_flags(command, options->passes, "17 numbers to 384", "25 100 500 1000 2000");
  command
      .add_option("--rounds", options->rounds,
                  "Every point is timed in each round, but long passes only in the first of them")
      .check(cli::whole_number(1, 1000));
  declare_device_flag(command, options->engine);
  declare_numerics_flags(command, options->engine);
  declare_isa_flag(command, options->engine);
  command
      .add_option("--plot", options->plot,
                  "Also draw the cost of k drafts of w tokens, as an SVG heat map, for the last "
                  "number of threads")
      .type_name("FILE");
  command.add_flag(
      "--add", options->add,
      "Store the mean of the runs stored before and this one: on a shared machine memory is "
      "faster at some hours than at others, and what is fastest changes with it");
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return result_command(command, options, run_cost);
}

}  // namespace outrider::calibrate
