#include "runtime/artifacts/graph_settings.h"

#include <algorithm>

#include "runtime/artifacts/calibrated_pair.h"
#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/cost.h"
#include "runtime/artifacts/temperature_groups.h"
#include "runtime/artifacts/trial_columns.h"

namespace outrider::artifacts {
namespace {

using cost::GraphTrial;

constexpr const char *kRoundsWithCopies = "rounds_with_copies", *kLaterChildren = "later_children";

void write_trials(const std::vector<GraphTrial>& all, hdf5::Writer& file,
                  const std::string& prefix) {
  TrialColumns trials(file, prefix, all);
  trials.add<std::int32_t>("children", [](auto& one) { return one.setting.children; });
  trials.add<std::int32_t>("tau", [](auto& one) { return one.setting.tau; });
  trials.add<std::int32_t>("steps", [](auto& one) { return one.setting.steps; });
  trials.add<std::int32_t>("nodes", [](auto& one) { return one.setting.nodes; });
  trials.add<double>("prune_probability",
                     [](auto& one) { return one.setting.pruning.probability; });
  trials.add<double>("prune_siblings", [](auto& one) { return one.setting.pruning.sibling; });
  trials.add<double>("min_path", [](auto& one) { return one.setting.pruning.path; });
  trials.add<std::int64_t>("merged", [](auto& one) { return one.merged; });
  trials.add<std::int64_t>("copies", [](auto& one) { return one.copies; });
  trials.add<std::int64_t>("lacking", [](auto& one) { return one.lacking; });
  trials.add<std::int64_t>(kRoundsWithCopies, [](auto& one) { return one.rounds_with_copies; });
  trials.add<std::int64_t>(kLaterChildren, [](auto& one) { return one.later_children; });
}

std::vector<GraphTrial> read_trials(const hdf5::Reader& file, const std::string& prefix) {
  const TrialColumnsReader columns(file, prefix, "children");
  const auto children = columns.whole("children", 1), tau = columns.whole("tau", 0),
             steps = columns.whole("steps", 1), nodes = columns.whole("nodes", 1);
  const auto probability = columns.shares("prune_probability"),
             sibling = columns.shares("prune_siblings"), path = columns.shares("min_path");
  const auto merged = columns.counts("merged"), copies = columns.counts("copies"),
             lacking = columns.counts("lacking");
  // Older files have neither.
  const auto counts_or_none = [&](const char* name) {
    return file.has(prefix + name) ? columns.counts(name)
                                   : std::vector<std::int64_t>(columns.size());
  };
  const auto rounds_with_copies = counts_or_none(kRoundsWithCopies),
             later = counts_or_none(kLaterChildren);
  const std::vector<cost::Trial> rounds = columns.trials();
  std::vector<GraphTrial> trials;
  for (std::size_t i = 0; i < columns.size(); ++i)
    trials.push_back(
        {rounds[i],
         {children[i], {probability[i], sibling[i], path[i]}, tau[i], steps[i], nodes[i]},
         merged[i],
         copies[i],
         lacking[i],
         rounds_with_copies[i],
         later[i]});
  return trials;
}

bool has_setting_of_each_method(const std::vector<GraphTrial>& trials) {
  const auto some = [&](const auto& is) { return std::any_of(trials.begin(), trials.end(), is); };
  const auto of = [](bool merges) {
    return [merges](const GraphTrial& one) {
      return one.setting.children == 1 || (one.setting.tau > 0) == merges;
    };
  };
  return some(of(false)) && some(of(true));
}

}  // namespace

std::string graph_settings_group(const std::string& machine) {
  return named_group(kGraphSettings, machine);
}

void write_graph_settings(const cost::MachineGraphSettings& settings, hdf5::Writer& file,
                          const std::string& group) {
  write_calibrated_passes(settings, file, group);
  for (std::size_t i = 0; i < settings.by_temperature.size(); ++i) {
    const cost::GraphSettings& one = settings.by_temperature[i];
    const std::string prefix = temperature_group(group, i) + "/";
    file.add_number<double>(prefix + "temperature", one.temperature);
    file.add_number<std::int64_t>(prefix + "positions", one.positions);
    file.add_number<std::int64_t>(prefix + "cut", one.cut);
    file.add_number<double>(prefix + "plain_tokens_per_second", one.plain_tokens_per_second);
    write_trials(one.trials, file, prefix);
  }
}

cost::MachineGraphSettings read_graph_settings(const hdf5::Reader& file, const std::string& group) {
  cost::MachineGraphSettings settings;
  static_cast<cost::CalibratedPasses&>(settings) =
      read_calibrated_passes(file, group, "calibrate graph");
  for (const std::string& one : temperature_groups(file, group)) {
    const std::string prefix = one + "/";
    cost::GraphSettings& found = settings.by_temperature.emplace_back();
    found.temperature = read_in(file, prefix + "temperature", 0, 1e9);
    found.positions = file.read_number<std::int64_t>(prefix + "positions");
    found.cut = file.read_number<std::int64_t>(prefix + "cut");
    found.plain_tokens_per_second = read_in(file, prefix + "plain_tokens_per_second", 0, 1e12);
    found.trials = read_trials(file, prefix);
    if (!has_setting_of_each_method(found.trials))
      file.refuse(prefix + "tau", "expected a setting of trees and one of graphs, or a chain");
  }
  return settings;
}

}  // namespace outrider::artifacts
