#include "runtime/artifacts/tree_settings.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/artifacts/calibrated_pair.h"
#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/cost.h"
#include "runtime/artifacts/temperature_groups.h"
#include "runtime/artifacts/trial_columns.h"

namespace outrider::artifacts {
namespace {

using cost::TreeTrial;

constexpr int kMostDepths = 64;
constexpr int kMostWidth = 64;
constexpr int kMostTreeNodes = 2048;
constexpr const char* kBestNodes = "best_nodes";  // not in older files

/// [trials, depths of the deepest]
void write_widths(const std::vector<TreeTrial>& trials, hdf5::Writer& file,
                  const std::string& path) {
  int depths = 1;
  for (const TreeTrial& trial : trials) depths = std::max(depths, trial.setting.length);
  std::vector<std::int32_t> widths;
  for (const TreeTrial& trial : trials)
    for (int depth = 0; depth < depths; ++depth)
      widths.push_back(depth < trial.setting.length ? trial.setting.width(depth) : 1);
  file.add<std::int32_t>(path, {trials.size(), static_cast<std::uint64_t>(depths)}, widths,
                         hdf5::Packing::kPacked);
}

/// Children by depth of a tree of so many depths. @param widths  [depths of the deepest tree]
draft::LevelShape shape_of(const hdf5::Reader& file, const std::string& path, int length,
                           std::span<const std::int32_t> widths) {
  std::int64_t nodes = 0, level = 1;
  for (const std::int32_t width : widths.first(static_cast<std::size_t>(length))) {
    if (width < 1 || width > kMostWidth)
      file.refuse(path, fmt::format("expected 1 to {} children, found {}", kMostWidth, width));
    nodes += level *= width;
    if (nodes > kMostTreeNodes)
      file.refuse(path, fmt::format("expected trees of at most {} nodes", kMostTreeNodes));
  }
  draft::LevelShape shape = {length, {widths.begin(), widths.begin() + length}, 0};
  while (!shape.widths.empty() && shape.widths.back() == 1) shape.widths.pop_back();
  return shape;
}

/// [trials] 0: by widths
void read_best_nodes(const hdf5::Reader& file, const std::string& path,
                     std::vector<TreeTrial>& trials) {
  const auto nodes = file.read<std::int32_t>(path, {trials.size()});
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (nodes[i] < 0 || nodes[i] > kMostTreeNodes)
      file.refuse(path, fmt::format("expected 0 to {}, found {}", kMostTreeNodes, nodes[i]));
    if (nodes[i] > 0 && !trials[i].setting.widths.empty())
      file.refuse(path, "expected no widths for trees of the best nodes");
    trials[i].setting.best_nodes = nodes[i];
  }
}

std::vector<TreeTrial> read_tree_trials(const hdf5::Reader& file, const std::string& prefix) {
  const TrialColumnsReader columns(file, prefix, "lengths");
  const auto lengths = columns.whole("lengths", 1);
  const auto thresholds = columns.shares("thresholds");
  const std::vector<cost::Trial> rounds = columns.trials();
  const std::string path = prefix + "widths";
  const int deepest = *std::max_element(lengths.begin(), lengths.end());
  if (deepest > kMostDepths)
    file.refuse(prefix + "lengths",
                fmt::format("expected 1 to {}, found {}", kMostDepths, deepest));
  const auto widths =
      file.read<std::int32_t>(path, {columns.size(), static_cast<std::uint64_t>(deepest)});
  std::vector<TreeTrial> trials;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto row = std::span(widths).subspan(i * static_cast<std::size_t>(deepest),
                                               static_cast<std::size_t>(deepest));
    TreeTrial& trial =
        trials.emplace_back(TreeTrial{rounds[i], shape_of(file, path, lengths[i], row)});
    trial.setting.threshold = thresholds[i];
  }
  if (file.has(prefix + kBestNodes)) read_best_nodes(file, prefix + kBestNodes, trials);
  return trials;
}

}  // namespace

std::string tree_settings_kind(draft::ParallelModel::Flavour flavour) {
  return fmt::format("{}/{}", kTreeSettings, draft::name_of(flavour));
}

std::string tree_settings_group(draft::ParallelModel::Flavour flavour, const std::string& machine) {
  return named_group(tree_settings_kind(flavour), machine);
}

void write_tree_settings(const cost::MachineTreeSettings& settings, hdf5::Writer& file,
                         const std::string& group) {
  write_calibrated_passes(settings, file, group);
  for (std::size_t i = 0; i < settings.by_temperature.size(); ++i) {
    const cost::TreeSettings& one = settings.by_temperature[i];
    const std::string prefix = temperature_group(group, i) + "/";
    file.add_number<double>(prefix + "temperature", one.temperature);
    file.add_number<std::int64_t>(prefix + "positions", one.positions);
    file.add_number<double>(prefix + "plain_tokens_per_second", one.plain_tokens_per_second);
    file.add_number<double>(prefix + "choice_share", one.choice_share);
    TrialColumns trials(file, prefix, one.trials);
    trials.add<std::int32_t>("lengths", [](auto& trial) { return trial.setting.length; });
    trials.add<double>("thresholds", [](auto& trial) { return trial.setting.threshold; });
    trials.add<std::int32_t>(kBestNodes, [](auto& trial) { return trial.setting.best_nodes; });
    write_widths(one.trials, file, prefix + "widths");
  }
}

cost::MachineTreeSettings read_tree_settings(const hdf5::Reader& file, const std::string& group) {
  cost::MachineTreeSettings settings;
  static_cast<cost::CalibratedPasses&>(settings) =
      read_calibrated_passes(file, group, "calibrate tree");
  for (const std::string& one : temperature_groups(file, group)) {
    const std::string prefix = one + "/";
    cost::TreeSettings& found = settings.by_temperature.emplace_back();
    found.temperature = read_in(file, prefix + "temperature", 0, 1e9);
    found.positions = file.read_number<std::int64_t>(prefix + "positions");
    found.plain_tokens_per_second = read_in(file, prefix + "plain_tokens_per_second", 0, 1e12);
    if (file.has(prefix + "choice_share"))
      found.choice_share = read_in(file, prefix + "choice_share", 0, 1e3);
    found.trials = read_tree_trials(file, prefix);
  }
  return settings;
}

}  // namespace outrider::artifacts
