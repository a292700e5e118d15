#include "runtime/artifacts/graph_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "runtime/artifacts/calibrated_pair.h"
#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/cost.h"
#include "runtime/artifacts/curve.h"
#include "runtime/artifacts/temperature_groups.h"

namespace outrider::artifacts {
namespace {

constexpr std::size_t kMostTrials = 100'000;
constexpr int kMostOfSetting = 1 << 16;

using cost::GraphTrial;
using cost::PassRows;

/// Datasets with one value for each trial.
class Trials {
 public:
  Trials(hdf5::Writer& file, const std::string& prefix, const std::vector<GraphTrial>& trials)
      : file_(file), prefix_(prefix), trials_(trials) {}

  template <typename T, typename Value>
  void add(const std::string& name, const Value& value_of) {
    std::vector<T> column;
    for (const GraphTrial& trial : trials_) column.push_back(static_cast<T>(value_of(trial)));
    file_.add<T>(prefix_ + name, {column.size()}, column, hdf5::Packing::kPacked);
  }
  template <typename Rows>
  void add_rows(const std::string& name, const Rows& rows_of) {
    std::vector<std::int32_t> all;
    for (const GraphTrial& trial : trials_) {
      const auto& counts = rows_of(trial).counts();
      all.insert(all.end(), counts.begin(), counts.end());
    }
    file_.add<std::int32_t>(prefix_ + name, {trials_.size(), PassRows::numbers().size()}, all,
                            hdf5::Packing::kPacked);
  }

 private:
  hdf5::Writer& file_;
  std::string prefix_;
  const std::vector<GraphTrial>& trials_;
};

void write_trials(const std::vector<GraphTrial>& all, hdf5::Writer& file,
                  const std::string& prefix) {
  Trials trials(file, prefix, all);
  trials.add<std::int32_t>("children", [](auto& one) { return one.setting.children; });
  trials.add<std::int32_t>("tau", [](auto& one) { return one.setting.tau; });
  trials.add<std::int32_t>("steps", [](auto& one) { return one.setting.steps; });
  trials.add<std::int32_t>("nodes", [](auto& one) { return one.setting.nodes; });
  trials.add<double>("prune_probability",
                     [](auto& one) { return one.setting.pruning.probability; });
  trials.add<double>("prune_siblings", [](auto& one) { return one.setting.pruning.sibling; });
  trials.add<double>("min_path", [](auto& one) { return one.setting.pruning.path; });
  trials.add<std::int64_t>("rounds", [](auto& one) { return one.rounds; });
  trials.add<std::int64_t>("tokens", [](auto& one) { return one.tokens; });
  trials.add<std::int64_t>("drafted", [](auto& one) { return one.drafted; });
  trials.add<std::int64_t>("merged", [](auto& one) { return one.merged; });
  trials.add<std::int64_t>("copies", [](auto& one) { return one.copies; });
  trials.add<std::int64_t>("lacking", [](auto& one) { return one.lacking; });
  trials.add_rows("verified", [](auto& one) -> const PassRows& { return one.verified; });
  trials.add_rows("drafting", [](auto& one) -> const PassRows& { return one.drafting; });
  trials.add<double>("tokens_per_second", [](auto& one) { return one.tokens_per_second; });
}

template <typename T>
std::vector<T> read_column(const hdf5::Reader& file, const std::string& path, std::size_t size,
                           T least, T most) {
  std::vector<T> column = file.read<T>(path, {size});
  for (const T one : column)
    if (!(one >= least && one <= most))
      file.refuse(path, fmt::format("expected {} to {}, found {}", least, most, one));
  return column;
}

/// [trials]
std::vector<PassRows> read_rows(const hdf5::Reader& file, const std::string& path,
                                std::size_t trials) {
  const std::size_t width = PassRows::numbers().size();
  const auto all = file.read<std::int32_t>(path, {trials, width});
  for (const std::int32_t one : all)
    if (one < 0) file.refuse(path, fmt::format("expected 0 or more, found {}", one));
  std::vector<PassRows> rows;
  for (auto row = all.begin(); row != all.end(); row += static_cast<std::ptrdiff_t>(width))
    rows.emplace_back(std::vector<std::int32_t>(row, row + static_cast<std::ptrdiff_t>(width)));
  return rows;
}

std::vector<GraphTrial> read_trials(const hdf5::Reader& file, const std::string& prefix) {
  const std::size_t size =
      file.read<std::int32_t>(prefix + "children", {hdf5::Reader::kAny}).size();
  if (size < 1 || size > kMostTrials)
    file.refuse(prefix + "children",
                fmt::format("expected 1 to {} settings, found {}", kMostTrials, size));
  const auto whole = [&](const char* name, int least) {
    return read_column<std::int32_t>(file, prefix + name, size, least, kMostOfSetting);
  };
  const auto share = [&](const char* name) {
    return read_column<double>(file, prefix + name, size, 0, 1);
  };
  const auto count = [&](const char* name) {
    return read_column<std::int64_t>(file, prefix + name, size, 0, std::int64_t{1} << 40);
  };
  const auto children = whole("children", 1), tau = whole("tau", 0), steps = whole("steps", 1),
             nodes = whole("nodes", 1);
  const auto probability = share("prune_probability"), sibling = share("prune_siblings"),
             path = share("min_path");
  const auto rounds = count("rounds"), tokens = count("tokens"), drafted = count("drafted"),
             merged = count("merged"), copies = count("copies"), lacking = count("lacking");
  const auto verified = read_rows(file, prefix + "verified", size);
  const auto drafting = read_rows(file, prefix + "drafting", size);
  const auto speed = read_curve(file, prefix + "tokens_per_second", {size});
  std::vector<GraphTrial> trials;
  for (std::size_t i = 0; i < size; ++i) {
    if (rounds[i] < 1) file.refuse(prefix + "rounds", "expected 1 or more, found 0");
    trials.push_back(
        {{children[i], {probability[i], sibling[i], path[i]}, tau[i], steps[i], nodes[i]},
         rounds[i],
         tokens[i],
         drafted[i],
         merged[i],
         copies[i],
         lacking[i],
         verified[i],
         drafting[i],
         speed[i]});
  }
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

void check_ascending(const hdf5::Reader& file, const std::string& path,
                     const std::vector<std::int32_t>& rows) {
  if (rows.empty() || rows.front() != 1 ||
      std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) != rows.end())
    file.refuse(path, "expected numbers of rows from 1 on, ascending");
}

}  // namespace

std::string graph_settings_group(const std::string& machine) {
  return machine_group(kGraphSettings, machine);
}

void write_graph_settings(const cost::MachineGraphSettings& settings, hdf5::Writer& file,
                          const std::string& group) {
  write_calibrated_pair(settings, file, group);
  file.add<std::int32_t>(group + "/draft_rows", {settings.rows.size()}, settings.rows,
                         hdf5::Packing::kPlain);
  file.add<double>(group + "/draft_shares", {settings.shares.size()}, settings.shares,
                   hdf5::Packing::kPlain);
  file.add<std::int32_t>(group + "/pass_rows", {PassRows::numbers().size()}, PassRows::numbers(),
                         hdf5::Packing::kPlain);
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
  static_cast<cost::CalibratedPair&>(settings) = read_calibrated_pair(file, group);
  settings.rows = file.read<std::int32_t>(group + "/draft_rows", {hdf5::Reader::kAny});
  check_ascending(file, group + "/draft_rows", settings.rows);
  settings.shares = read_times(file, group + "/draft_shares", {settings.rows.size()});
  if (settings.shares.front() <= 0) file.refuse(group + "/draft_shares", "holds no time");
  if (file.read<std::int32_t>(group + "/pass_rows", {hdf5::Reader::kAny}) != PassRows::numbers())
    file.refuse(group + "/pass_rows",
                "counts passes of other numbers of rows than this program; `calibrate graph` makes "
                "the group anew");
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
