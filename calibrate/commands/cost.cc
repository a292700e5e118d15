#include "runtime/artifacts/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "calibrate/commands/commands.h"
#include "calibrate/commands/cost_plot.h"
#include "calibrate/commands/every_drafter.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/cost/cost_plan.h"
#include "calibrate/cost/measure_cost.h"
#include "runtime/base/duration_text.h"
#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/base/stopwatch.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/pass_flags.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/time_limit.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/cost/timed_workers.h"
#include "runtime/model/extend_context.h"
#include "runtime/report/drafter_costs_text.h"

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

constexpr double kUsualMinutes = 1;
/// With all threads. Of a slower model passes with one thread are not timed unless asked for.
constexpr double kSlowPass = 0.01;      // seconds of one row
constexpr double kShareOfPasses = 0.8;  // of the time
constexpr int kMostSequences = 64;
constexpr int kMostTurns = 5;  // of drafters, after each context

struct CostOptions {
  std::string model;
  int context = 0;  // 0: the model's
  cli::PassFlags passes;
  std::vector<std::string> sequences;
  std::optional<int> rounds;
  std::optional<double> minutes;
  cli::EngineFlags engine;
  std::string plot;
  bool add = false;
  bool quiet = false;
  ResultOptions result;
};

/// A measurement's passes and time.
struct CostPlan {
  CostGrid grid;
  RoughCosts rough;
  double passes_until = 0,
         all_until = 0;  // seconds since the command began; infinity: no matter when
};

/// The grid that times were measured on.
CostGrid grid_of(const cost::MachineCost& stored) {
  CostGrid grid;
  std::set<int> rows, contexts, sequences, rows_each;
  grid.held_out = false;
  for (const cost::ThreadsCost& threads : stored.passes) {
    grid.threads.push_back(threads.threads);
    for (const cost::PassTime& pass : threads.passes) {
      grid.held_out = grid.held_out || pass.held_out;
      if (pass.held_out) continue;
      contexts.insert(pass.point.context);
      sequences.insert(pass.point.sequences);
      if (pass.point.sequences == 1) rows.insert(pass.point.rows);
      if (pass.point.sequences > 1) rows_each.insert(pass.point.rows / pass.point.sequences);
    }
  }
  grid.rows.assign(rows.begin(), rows.end());
  grid.contexts.assign(contexts.begin(), contexts.end());
  grid.sequences.assign(sequences.begin(), sequences.end());
  if (!rows_each.empty()) grid.rows_each.assign(rows_each.begin(), rows_each.end());
  return grid;
}

/// A grid with the lists that flags name. @throws InputError
CostGrid with_flags(CostGrid grid, const CostOptions& options, const model::ModelConfig& config) {
  read_pass_flags(options.passes, config, grid.threads, grid.rows, grid.contexts);
  cli::read_whole_numbers("--sequences", options.sequences, 1, kMostSequences, grid.sequences);
  if (grid.contexts.empty()) grid.contexts = {config.context - cost::PassTimer::kMostRows};
  std::sort(grid.contexts.begin(), grid.contexts.end());
  return grid;
}

/// @param asked   what is timed but for rounds, and threads where they are left open
/// @param stored  whether it is that of stored times, which another run is added to
CostPlan plan_of(const CostOptions& options, engine::Engine& engine, CostGrid asked, bool stored) {
  CostPlan plan = {std::move(asked), time_roughly(engine)};
  CostGrid& grid = plan.grid;
  FixedLists fixed = {.threads = stored || !options.passes.threads.empty(),
                      .rows = stored || !options.passes.rows.empty(),
                      .contexts = stored || !options.passes.contexts.empty()};
  const bool is_slow =
      plan.rough.seconds({cost::Shape::kChain, 1, 0}, engine.workers()) > kSlowPass;
  if (!stored) cost::time_usual_workers(engine, grid.threads);
  if (!fixed.threads && is_slow) grid.threads = {engine.workers()};
  const double infinity = std::numeric_limits<double>::infinity();
  plan.all_until = options.minutes  ? 60 * *options.minutes
                   : options.rounds ? infinity
                                    : 60 * kUsualMinutes;
  if (plan.all_until == 0) plan.all_until = infinity;
  plan.passes_until = kShareOfPasses * plan.all_until;
  if (options.rounds) {
    grid.rounds = *options.rounds;
  } else if (std::isfinite(plan.passes_until)) {
    const bool held_out = grid.held_out;
    grid = fitted(grid, fixed, plan.rough, plan.passes_until);
    if (stored) grid.held_out = held_out;
  }
  return plan;
}

void announce(const CostPlan& plan, const CostOptions& options, std::size_t drafters) {
  const CostGrid& grid = plan.grid;
  std::size_t points = 0;
  for (const cost::ThreadsCost& threads : untimed_passes(grid)) points += threads.passes.size();
  const double turn = static_cast<double>(drafters) * kStepsOfATurn *
                      plan.rough.seconds({cost::Shape::kChain, 1, 0}, plan.rough.workers);
  const double passes = predicted_seconds(grid, plan.rough);
  const double most = kMostTurns * static_cast<double>(grid.contexts.size()) * turn;
  cli::announce(
      "calibrate cost",
      {{fmt::format("{} passes, of {} to {} rows, after {} tokens, with {} threads, {} rounds",
                    points, grid.rows.front(), grid.rows.back(), fmt::join(grid.contexts, " and "),
                    fmt::join(grid.threads, " and "), grid.rounds),
        passes},
       {fmt::format("steps of {} drafters", drafters),
        std::max(turn, std::min(most, plan.all_until - passes))}},
      0, options.quiet);
}

std::string table_text(const cost::ThreadsCost& cost) {
  std::string text = fmt::format("{:>7} {:>9} {:>7} {:>5} {:>6} {:>9}  (spread)\n", "threads",
                                 "sequences", "context", "rows", "shape", "ms");
  for (const cost::PassTime& pass : cost.passes) {
    if (pass.held_out) continue;
    text += fmt::format("{:>7} {:>9} {:>7} {:>5} {:>6} {:>9.3f}  ({:.3f}-{:.3f})\n", cost.threads,
                        pass.point.sequences, pass.point.context, pass.point.rows,
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

/// Times drafters after the shortest context, and while there is time after the others.
/// @throws Interrupted
cost::DrafterCosts drafter_costs(const CostOptions& options, const CostPlan& plan,
                                 const Stopwatch& watch, engine::Engine& engine,
                                 std::vector<NamedDrafter> drafters) {
  const std::vector<int>& contexts = plan.grid.contexts;
  const int turns = options.rounds.value_or(kMostTurns);
  const auto count = static_cast<double>(drafters.size());
  cli::Progress progress("turns of the drafters", std::ssize(contexts) * turns, options.quiet);
  double turn_began = watch.seconds(), turn_took = 0;
  return measure_drafters(
      engine, std::move(drafters), contexts, turns,
      [&](int turn) {
        turn_took = watch.seconds() - turn_began;
        turn_began = watch.seconds();
        progress.show(turn);
        return !interrupted();
      },
      [&](int unread) {
        // Each drafter that reads the target's states reads the whole of a new context.
        const double reading = count * unread * plan.rough.prefill_row;
        return watch.seconds() + turn_took + reading < plan.all_until;
      });
}

std::string drafters_text(const cost::DrafterCosts& costs,
                          const std::vector<std::string>& left_out) {
  if (costs.drafters.empty()) return "";
  std::string text = "\n" + report::drafter_costs_text(costs);
  if (left_out.empty()) return text;
  return text + fmt::format("not calibrated yet, so not timed: {}\n", fmt::join(left_out, ", "));
}

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

/// @throws InputError where the stored times are of other passes
void check_same(const cost::MachineCost& stored, const cost::MachineCost& planned,
                const std::string& group) {
  if (cost::are_of_same_passes(stored, planned)) return;
  throw InputError(fmt::format(
      "--add: expected the threads, rows, contexts, sequences, numerics and instruction "
      "set of the times stored in {}, found others; leave out the flags for them to time "
      "the same again, or --add to replace the stored times",
      group));
}

void run_cost(const CostOptions& options) {
  const Stopwatch watch;
  const model::Model model = model::load_for_context(options.model, options.context);
  CostGrid grid = with_flags({}, options, model.config);
  const artifacts::TargetIdentity target = artifacts::identity_of(model);
  const auto engine = cli::make_engine(model, options.engine, options.context, options.quiet);
  const std::string group = artifacts::cost_group(engine->place().name);
  result_file(options.result, target, group);
  OutputFile plot("--plot", options.plot);
  EveryDrafter every = every_drafter(model, *engine, artifacts_to_read(options.result, target));
  catch_interrupts();
  const auto stored = stored_times(options, target, group);
  if (stored) grid = with_flags(grid_of(*stored), options, model.config);
  const CostPlan plan = plan_of(options, *engine, std::move(grid), stored.has_value());
  announce(plan, options, every.drafters.size());
  cost::MachineCost measured;
  measured.machine = engine->place().name;
  measured.numerics = engine->numerics_name();
  measured.isa = engine->place().unit;
  measured.passes = untimed_passes(plan.grid);
  if (stored) check_same(*stored, measured, group);
  std::optional<cli::Progress> progress;
  measured.passes = measure_cost(*engine, plan.grid, [&](int done, int total) {
    if (interrupted()) throw Interrupted();
    if (!progress) progress.emplace("turns of passes", total, options.quiet);
    const double left = plan.passes_until - watch.seconds();
    progress->show(done, std::isfinite(left)
                             ? fmt::format("{} at most", duration_text(std::max(left, 0.0)))
                             : "");
    return left > 0;
  });
  progress.reset();
  measured.drafters = drafter_costs(options, plan, watch, *engine, std::move(every.drafters));
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
  declare_model_flags(command, options->model, options->context);
  declare_result_flags(command, options->result);
  declare_pass_flags(command, options->passes, "11 numbers to 48", "100 1000");
  command.add_list(
      "--sequences", options->sequences,
      "Besides passes of one sequence, those of 1, 2, 4 and 8 rows of each of several: "
      "what a row more costs where many answers are decoded at once (default: 1)");
  command
      .add_option("--minutes", options->minutes,
                  "Time for all of it, by which rounds and passes are chosen (default: 1; with "
                  "--rounds as long as they take)")
      .check(cli::real_number(0, cli::kMostMinutes));
  command
      .add_option("--rounds", options->rounds,
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
      .type_name("FILE");
  command.add_flag(
      "--add", options->add,
      "Store the mean of the runs stored before and this one: on a shared machine memory is "
      "faster at some hours than at others, and what is fastest changes with it");
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return result_command(command, options, run_cost);
}

}  // namespace outrider::calibrate
