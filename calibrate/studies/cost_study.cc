#include "calibrate/studies/cost_study.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "calibrate/cost/cost_plan.h"
#include "calibrate/cost/every_drafter.h"
#include "calibrate/cost/measure_cost.h"
#include "calibrate/cost/measure_drafters.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/base/duration_text.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/cost/timed_workers.h"

namespace outrider::calibrate {
namespace {

constexpr double kUsualMinutes = 1;
/// With all threads. Of a slower model passes with one thread are not timed unless asked for.
constexpr double kSlowPass = 0.01;      // seconds of one row
constexpr double kShareOfPasses = 0.8;  // of the time
constexpr int kMostTurns = 5;           // of drafters, after each context

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

/// A grid with the lists of a study.
CostGrid with_lists(CostGrid grid, const CostStudy& study, const model::ModelConfig& config) {
  const auto take = [](const std::vector<int>& from, std::vector<int>& to) {
    if (!from.empty()) to = from;
  };
  take(study.threads, grid.threads);
  take(study.rows, grid.rows);
  take(study.contexts, grid.contexts);
  take(study.sequences, grid.sequences);
  const int longest = config.context - cost::PassTimer::kMostRows;
  std::erase_if(grid.contexts, [&](int context) { return context > longest; });
  if (grid.contexts.empty()) grid.contexts = {longest};
  std::sort(grid.contexts.begin(), grid.contexts.end());
  return grid;
}

/// @param asked   what is timed but for rounds, and threads where they are left open
/// @param stored  whether it is that of stored times, which another run is added to
CostPlan plan_of(const CostStudy& study, engine::Engine& engine, CostGrid asked, bool stored) {
  CostPlan plan = {std::move(asked), time_roughly(engine)};
  CostGrid& grid = plan.grid;
  FixedLists fixed = {.threads = stored || !study.threads.empty(),
                      .rows = stored || !study.rows.empty(),
                      .contexts = stored || !study.contexts.empty()};
  const bool is_slow =
      plan.rough.seconds({cost::Shape::kChain, 1, 0}, engine.workers()) > kSlowPass;
  if (!stored) cost::time_usual_workers(engine, grid.threads);
  if (!fixed.threads && is_slow) grid.threads = {engine.workers()};
  const double infinity = std::numeric_limits<double>::infinity();
  plan.all_until = study.minutes  ? 60 * *study.minutes
                   : study.rounds ? infinity
                                  : 60 * kUsualMinutes;
  if (plan.all_until == 0) plan.all_until = infinity;
  plan.passes_until = kShareOfPasses * plan.all_until;
  if (study.rounds) {
    grid.rounds = *study.rounds;
  } else if (std::isfinite(plan.passes_until)) {
    const bool held_out = grid.held_out;
    grid = fitted(grid, fixed, plan.rough, plan.passes_until);
    if (stored) grid.held_out = held_out;
  }
  return plan;
}

void tell(const CostPlan& plan, std::size_t drafters, Watch& watch) {
  const CostGrid& grid = plan.grid;
  std::size_t points = 0;
  for (const cost::ThreadsCost& threads : untimed_passes(grid)) points += threads.passes.size();
  const double turn = static_cast<double>(drafters) * kStepsOfATurn *
                      plan.rough.seconds({cost::Shape::kChain, 1, 0}, plan.rough.workers);
  const double passes = predicted_seconds(grid, plan.rough);
  const double most = kMostTurns * static_cast<double>(grid.contexts.size()) * turn;
  watch.plan(
      {{fmt::format("{} passes, of {} to {} rows, after {} tokens, with {} threads, {} rounds",
                    points, grid.rows.front(), grid.rows.back(), fmt::join(grid.contexts, " and "),
                    fmt::join(grid.threads, " and "), grid.rounds),
        passes},
       {fmt::format("steps of {} drafters", drafters),
        std::max(turn, std::min(most, plan.all_until - passes))}});
}

/// Times drafters after the shortest context, and while there is time after the others.
/// @throws Interrupted
cost::DrafterCosts drafter_costs(const CostStudy& study, const CostPlan& plan,
                                 engine::Engine& engine, std::vector<NamedDrafter> drafters,
                                 Watch& watch) {
  const std::vector<int>& contexts = plan.grid.contexts;
  const int turns = study.rounds.value_or(kMostTurns);
  const auto count = static_cast<double>(drafters.size());
  watch.begin("turns of the drafters", std::ssize(contexts) * turns);
  double turn_began = study.time.seconds(), turn_took = 0;
  cost::DrafterCosts costs = measure_drafters(
      engine, std::move(drafters), contexts, turns,
      [&](int turn) {
        turn_took = study.time.seconds() - turn_began;
        turn_began = study.time.seconds();
        watch.show(turn);
        return !watch.interrupted();
      },
      [&](int unread) {
        // Each drafter that reads the target's states reads the whole of a new context.
        const double reading = count * unread * plan.rough.prefill_row;
        return study.time.seconds() + turn_took + reading < plan.all_until;
      });
  watch.end();
  return costs;
}

/// @throws InputError where the stored times are of other passes
void check_same(const cost::MachineCost& stored, const cost::MachineCost& planned,
                const std::string& group) {
  if (cost::are_of_same_passes(stored, planned)) return;
  throw InputError(
      fmt::format("--add: expected the threads, rows, contexts, sequences, numerics and "
                  "instruction set of the times stored in {}, found others; leave out the flags "
                  "for them to time the same again, or --add to replace the stored times",
                  group));
}

/// The times to which this run is added; nothing where there are none, or it is not.
std::optional<cost::MachineCost> stored_times(const CostStudy& study,
                                              const artifacts::TargetIdentity& target,
                                              const std::string& group, Watch& watch) {
  if (!study.add) return std::nullopt;
  const artifacts::ArtifactSet known = study.files.known(target, watch);
  const artifacts::ArtifactFile* file = known.with(group);
  if (file == nullptr) return std::nullopt;
  return artifacts::read_cost(file->reader(), group);
}

/// @throws Interrupted
std::vector<cost::ThreadsCost> timed_passes(const CostPlan& plan, const Stopwatch& time,
                                            engine::Engine& engine, Watch& watch) {
  bool is_begun = false;
  auto passes = measure_cost(engine, plan.grid, [&](int done, int total) {
    if (watch.interrupted()) throw Interrupted();
    if (!std::exchange(is_begun, true)) watch.begin("turns of passes", total);
    const double left = plan.passes_until - time.seconds();
    watch.show(done, std::isfinite(left)
                         ? fmt::format("{} at most", duration_text(std::max(left, 0.0)))
                         : "");
    return left > 0;
  });
  watch.end();
  return passes;
}

}  // namespace

FoundCosts find_costs(const model::Model& model, engine::Engine& engine, const CostStudy& study,
                      Watch& watch) {
  const artifacts::TargetIdentity target = artifacts::identity_of(model);
  const std::string group = artifacts::cost_group(engine.place().name);
  EveryDrafter every =
      every_drafter({model, engine, study.files.folders, 0, nullptr, watch.notices()},
                    study.files.to_read(target));
  watch.listen();
  const auto stored = stored_times(study, target, group, watch);
  const CostPlan plan = plan_of(
      study, engine, with_lists(stored ? grid_of(*stored) : CostGrid(), study, model.config),
      stored.has_value());
  tell(plan, every.drafters.size(), watch);
  cost::MachineCost measured;
  measured.machine = engine.place().name;
  measured.numerics = engine.numerics_name();
  measured.isa = engine.place().unit;
  measured.passes = untimed_passes(plan.grid);
  if (stored) check_same(*stored, measured, group);
  measured.passes = timed_passes(plan, study.time, engine, watch);
  measured.drafters = drafter_costs(study, plan, engine, std::move(every.drafters), watch);
  if (stored) measured = cost::mean_of(*stored, measured);
  study.files.write(target, group, {"calibrate cost", engine.place()},
                    [&](hdf5::Writer& file, const std::string& name) {
                      artifacts::write_cost(measured, file, name);
                    });
  return {std::move(measured), std::move(every.left_out)};
}

}  // namespace outrider::calibrate
