#include "calibrate/gsd/gsd_search.h"

#include <algorithm>
#include <functional>
#include <set>

#include "calibrate/trials/climb.h"

namespace outrider::calibrate {
namespace {

using cost::TrialPrices;
using Speed = std::function<double(const GsdTrial&)>;

constexpr int kChildren[] = {1, 2, 3, 4, 5, 6};
constexpr int kTaus[] = {1, 2, 3, 4, 5};
constexpr int kSteps[] = {1, 2, 3, 4, 5, 6, 8, 10};
constexpr int kNodes[] = {2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 128, 2048};
constexpr double kProbabilities[] = {0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
constexpr double kPublishedProbabilities[] = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
constexpr double kSiblings[] = {0, 0.1, 0.3, 0.5, 0.7, 0.9};
constexpr double kPaths[] = {0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4};

bool is_recorded(const GsdSetting& setting, const RecordingLimits& limits) {
  return setting.children <= limits.children && setting.steps <= limits.steps &&
         (setting.children == 1 || setting.pruning.probability >= limits.probability);
}

/// The settings that differ from one in the i-th of its values only; none where there is no such value.
std::vector<GsdSetting> neighbours(const GsdSetting& from, int i) {
  std::vector<GsdSetting> all;
  const auto each = [&](const auto& values, const auto& set) {
    for (const auto value : values) {
      GsdSetting setting = from;
      set(setting, value);
      if (!(setting == from)) all.push_back(setting);
    }
  };
  const bool is_chain = from.children == 1;  // neither siblings nor merged nodes
  if (i == 0) each(kSteps, [](GsdSetting& one, int value) { one.steps = value; });
  if (i == 1)
    each(kProbabilities, [](GsdSetting& one, double value) { one.pruning.probability = value; });
  if (i == 2) each(kPaths, [](GsdSetting& one, double value) { one.pruning.path = value; });
  if (i == 3 && !is_chain) each(kNodes, [](GsdSetting& one, int value) { one.nodes = value; });
  if (i == 4 && !is_chain)
    each(kSiblings, [](GsdSetting& one, double value) { one.pruning.sibling = value; });
  if (i == 5 && !is_chain && from.tau > 0)
    each(kTaus, [](GsdSetting& one, int value) { one.tau = value; });
  return all;
}
constexpr int kNumValues = 6;

/// The neighbours of a setting that were recorded.
std::vector<GsdSetting> recorded_neighbours(const GsdSetting& from, int i,
                                            const RecordingLimits& limits) {
  std::vector<GsdSetting> all = neighbours(from, i);
  std::erase_if(all, [&](const GsdSetting& one) { return !is_recorded(one, limits); });
  return all;
}

void climb_from(const GsdSetting& setting, GsdTrials& trials, const RecordingLimits& limits,
                const Speed& speed) {
  climb(
      setting, kNumValues,
      [&](const GsdSetting& from, int i) { return recorded_neighbours(from, i, limits); },
      [&](const GsdSetting& one) { return speed(trials.of(one)); });
}

GsdSetting chain(int steps, double probability) {
  constexpr int kMostNodes = 256;  // more than any --draft-length
  return {1, {probability, 0, 0}, 0, steps, kMostNodes};
}

void try_chains(GsdTrials& trials, const RecordingLimits& limits) {
  for (int steps = 1; steps <= limits.steps; ++steps)
    for (const double probability : kProbabilities) trials.of(chain(steps, probability));
}

/// Speeds if further rows cost `times` what they cost on this machine.
Speed speed_where_rows_cost(const TrialPrices& prices, double times) {
  return [&prices, times](const GsdTrial& trial) {
    return prices.speed(trial, trial.setting.shape(), times);
  };
}

/// The settings to store.
class Kept {
 public:
  explicit Kept(const GsdTrials& trials) : trials_(trials) {}

  void add(const GsdSetting& setting) { settings_.insert(setting); }
  /// The fastest ones of a number of children.
  void add_fastest(int children, bool merges, const Speed& speed) {
    constexpr std::size_t kEach = 6;
    std::vector<std::pair<double, GsdSetting>> all;
    for (const auto& [setting, trial] : trials_.known())
      if (setting.children == children && (setting.tau > 0) == merges)
        all.emplace_back(-speed(trial), setting);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < std::min(kEach, all.size()); ++i) add(all[i].second);
  }
  void add_chains() {
    for (const auto& [setting, trial] : trials_.known())
      if (setting.children == 1) add(setting);
  }
  std::vector<GsdTrial> trials() const {
    std::vector<GsdTrial> kept;
    for (const GsdSetting& one : settings_) kept.push_back(trials_.known().at(one));
    return kept;
  }

 private:
  const GsdTrials& trials_;
  std::set<GsdSetting> settings_;
};

}  // namespace

std::vector<PublishedAxis> published_axes(const RecordingLimits& limits) {
  std::vector<PublishedAxis> axes;
  const auto add = [&](const char* name, const auto& values, bool of_trees, const auto& set) {
    PublishedAxis& axis = axes.emplace_back();
    axis.name = name;
    for (const auto value : values) {
      GsdSetting graph = kPublished;
      graph.steps = std::min(graph.steps, limits.steps);
      set(graph, value);
      if (graph.children == 1) graph = chain(graph.steps, graph.pruning.probability);
      if (!is_recorded(graph, limits)) continue;
      axis.x.push_back(static_cast<double>(value));
      axis.graphs.push_back(graph);
      graph.tau = 0;
      if (of_trees) axis.trees.push_back(graph);
    }
  };
  add("children of a node", kChildren, true,
      [](GsdSetting& one, int value) { one.children = value; });
  add("tokens of a run that merges", kTaus, false,
      [](GsdSetting& one, int value) { one.tau = value; });
  add("least probability", kPublishedProbabilities, true,
      [](GsdSetting& one, double value) { one.pruning.probability = value; });
  add("least share of the likeliest sibling", kSiblings, true,
      [](GsdSetting& one, double value) { one.pruning.sibling = value; });
  return axes;
}

std::vector<GsdTrial> search_graphs(GsdTrials& trials, const RecordingLimits& limits,
                                    const TrialPrices& prices) {
  std::vector<GsdSetting> published;
  for (const PublishedAxis& axis : published_axes(limits))
    for (const auto* some : {&axis.trees, &axis.graphs})
      published.insert(published.end(), some->begin(), some->end());
  for (const GsdSetting& one : published) trials.of(one);
  try_chains(trials, limits);
  Kept kept(trials);
  for (const double times : {1.0, 0.25, 4.0}) {
    const Speed speed = speed_where_rows_cost(prices, times);
    const int steps = std::min(4, limits.steps);
    climb_from(chain(steps, 0.3), trials, limits, speed);
    for (int children = 2; children <= limits.children; ++children)
      for (const int tau : {0, 2})
        climb_from({children, {0.3, 0.3, 0}, tau, steps, 8}, trials, limits, speed);
  }
  for (const double times : {1.0, 0.25, 4.0})
    for (int children = 2; children <= limits.children; ++children)
      for (const bool merges : {false, true})
        kept.add_fastest(children, merges, speed_where_rows_cost(prices, times));
  kept.add_chains();
  for (const GsdSetting& one : published) kept.add(one);
  return kept.trials();
}

std::vector<cost::Trial> trials_by_merging(const std::vector<GsdTrial>& all, bool merges) {
  std::vector<cost::Trial> trials;
  for (const GsdTrial& one : all)
    if (one.setting.is_chain() || (one.setting.tau > 0) == merges) trials.push_back(one.trial());
  return trials;
}

}  // namespace outrider::calibrate
