#include "calibrate/parallelspec/parallelspec_search.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "calibrate/parallelspec/parallelspec_replay.h"
#include "calibrate/trials/climb.h"

namespace outrider::calibrate {
namespace {

using draft::LevelShape;

constexpr double kThresholds[] = {0,   0.02, 0.05, 0.1, 0.15, 0.2, 0.25,
                                  0.3, 0.4,  0.5,  0.6, 0.7,  0.8, 0.9};
/// The thresholds of trees that are expanded; climbing tries the others near the fastest.
constexpr double kExpandedThresholds[] = {0, 0.05, 0.1, 0.2, 0.3, 0.5};
/// Of trees of the best nodes.
constexpr double kNodeThresholds[] = {0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.14, 0.2, 0.3, 0.4};
constexpr int kBestNodes[] = {2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32};
/// What further rows cost, as multiples of what they cost here.
constexpr double kMachines[] = {1, 0.25, 4};

/// The shape with `width` children of a node at a depth counted from 0.
LevelShape with_width(LevelShape shape, int depth, int width) {
  const auto at = static_cast<std::size_t>(depth);
  shape.widths.resize(std::max(shape.widths.size(), at + 1), 1);
  shape.widths[at] = width;
  while (!shape.widths.empty() && shape.widths.back() == 1) shape.widths.pop_back();
  return shape;
}

LevelShape with_length(LevelShape shape, int length) {
  shape.length = length;
  const auto depths = static_cast<std::size_t>(length);
  if (shape.widths.size() > depths) shape.widths.resize(depths);
  while (!shape.widths.empty() && shape.widths.back() == 1) shape.widths.pop_back();
  return shape;
}

/// The shapes with a child more for each node of one depth, or with a depth more.
std::vector<LevelShape> expansions(const LevelShape& from, const ParallelSpecLimits& limits) {
  std::vector<LevelShape> all;
  for (int depth = 0; depth < from.length; ++depth)
    if (from.width(depth) < limits.children)
      all.push_back(with_width(from, depth, from.width(depth) + 1));
  if (from.length < limits.depths) all.push_back(with_length(from, from.length + 1));
  std::erase_if(all, [&](const LevelShape& one) { return one.nodes() > limits.nodes; });
  return all;
}

/// Value 0 is the length, the last the threshold, those between are the widths by depth, or the first of them the number
/// of the best nodes.
std::vector<LevelShape> neighbours(const LevelShape& from, int i,
                                   const ParallelSpecLimits& limits) {
  std::vector<LevelShape> all;
  if (i == 0) {
    for (int length = 1; length <= limits.depths; ++length)
      all.push_back(with_length(from, length));
  } else if (i <= limits.depths && from.best_nodes > 0) {
    if (i == 1)
      for (const int nodes : {std::max(1, from.best_nodes - 1), from.best_nodes + 1}) {
        all.push_back(from);
        all.back().best_nodes = nodes;
      }
  } else if (i <= limits.depths) {
    if (i <= from.length)
      for (int width = 1; width <= limits.children; ++width)
        all.push_back(with_width(from, i - 1, width));
  } else {
    for (const double threshold : kThresholds) {
      all.push_back(from);
      all.back().threshold = threshold;
    }
  }
  std::erase_if(all,
                [&](const LevelShape& one) { return one == from || one.nodes() > limits.nodes; });
  return all;
}

std::vector<LevelShape> trees_of_best_nodes(const ParallelSpecLimits& limits) {
  std::vector<LevelShape> all;
  for (const int nodes : kBestNodes)
    for (int length = 1; length <= limits.depths; ++length)
      for (const double threshold : kNodeThresholds)
        if (nodes <= limits.nodes) all.push_back({length, {}, threshold, nodes});
  return all;
}

double speed_of(const ParallelSpecTrial& trial, const cost::TrialPrices& prices, double times) {
  return prices.speed(trial, trial.shape(), times);
}

/// The fastest of all that are known of some forms, the fastest first.
std::vector<LevelShape> fastest_known(const ParallelSpecTrials& trials,
                                      const cost::TrialPrices& prices, double times,
                                      std::size_t most,
                                      const std::function<bool(const LevelShape&)>& forms) {
  std::vector<std::pair<double, LevelShape>> all;
  for (const auto& [shape, trial] : trials.known())
    if (forms(shape)) all.emplace_back(-speed_of(trial, prices, times), shape);
  std::sort(all.begin(), all.end());
  std::vector<LevelShape> fastest;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) fastest.push_back(all[i].second);
  return fastest;
}

void climb_from(const LevelShape& start, ParallelSpecTrials& trials,
                const ParallelSpecLimits& limits, const cost::TrialPrices& prices, double times) {
  climb(
      start, limits.depths + 2,
      [&](const LevelShape& from, int i) { return neighbours(from, i, limits); },
      [&](const LevelShape& one) { return speed_of(trials.of(one), prices, times); });
}

}  // namespace

ParallelSpecTrials trials_on(const std::vector<RecordedLevels>& recorded,
                             const draft::ParallelSpecModel& model) {
  return ParallelSpecTrials([&recorded, &model](ParallelSpecTrial& trial) {
    ParallelSpecReplay replay(trial.setting, model);
    for (const RecordedLevels& one : recorded) replay.run(one, trial);
  });
}

std::vector<LevelShape> expand_greedily(ParallelSpecTrials& trials,
                                        const ParallelSpecLimits& limits, double threshold) {
  std::vector<LevelShape> path = {{1, {}, threshold}};
  for (;;) {
    const ParallelSpecTrial& now = trials.of(path.back());
    std::optional<std::pair<double, LevelShape>> best;
    for (const LevelShape& one : expansions(path.back(), limits)) {
      const ParallelSpecTrial& then = trials.of(one);
      // Where the threshold ends every draft before, nothing changes.
      const double nodes = std::max(1e-9, then.drafted_per_round() - now.drafted_per_round());
      const double gain = (then.tokens_per_pass() - now.tokens_per_pass()) / nodes;
      if (!best || gain > best->first) best = {gain, one};
    }
    if (!best) return path;
    path.push_back(best->second);
  }
}

std::vector<cost::Trial> search_trees(ParallelSpecTrials& trials, const ParallelSpecLimits& limits,
                                      const cost::TrialPrices& prices) {
  constexpr std::size_t kEach = 6;
  std::set<LevelShape> kept;
  for (int length = 1; length <= limits.depths; ++length)
    for (const double threshold : kThresholds) {
      const LevelShape chain = {length, {}, threshold};
      trials.of(chain);
      kept.insert(chain);
    }
  for (const double threshold : kExpandedThresholds)
    for (const LevelShape& one : expand_greedily(trials, limits, threshold)) kept.insert(one);
  if (limits.children > 1)
    for (const LevelShape& one : trees_of_best_nodes(limits)) trials.of(one);
  const auto is_chain = [](const LevelShape& one) { return one.is_chain(); };
  const auto is_of_best = [](const LevelShape& one) { return one.best_nodes > 0; };
  const auto has_widths = [&](const LevelShape& one) { return !is_chain(one) && !is_of_best(one); };
  const std::function<bool(const LevelShape&)> all_forms[] = {is_chain, has_widths, is_of_best};
  for (const double times : kMachines)
    for (const auto& forms : all_forms)
      for (const LevelShape& one : fastest_known(trials, prices, times, 1, forms))
        climb_from(one, trials, limits, prices, times);
  const auto keep = [&](double times, std::size_t most, const auto& forms) {
    for (const LevelShape& one : fastest_known(trials, prices, times, most, forms))
      kept.insert(one);
  };
  for (const double times : kMachines) {
    keep(times, kEach, has_widths);
    keep(times, kEach, is_of_best);
    for (const int nodes : kBestNodes)
      keep(times, 1, [&](const LevelShape& one) { return one.best_nodes == nodes; });
  }
  std::vector<cost::Trial> found;
  for (const LevelShape& one : kept) found.push_back(trials.known().at(one).trial());
  return found;
}

}  // namespace outrider::calibrate
