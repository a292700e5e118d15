#include "runtime/artifacts/trials_group.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/temperature_groups.h"
#include "runtime/artifacts/text_lines.h"
#include "runtime/artifacts/trial_columns.h"
#include "runtime/base/error.h"

namespace outrider::artifacts {
namespace {

using cost::PassRows;
using cost::Trial;

constexpr std::size_t kMostNames = 64;
constexpr std::size_t kLongestName = 64, kLongestHash = 64;
constexpr int kMostRows = 1 << 12;  // of a pass

/// The numbers of rows of all passes, ascending.
std::vector<std::int32_t> numbers_of_rows(const cost::Trials& trials) {
  std::set<std::int32_t> numbers;
  for (const cost::TemperatureTrials& one : trials.by_temperature)
    for (const Trial& trial : one.trials)
      for (const PassRows* rows : {&trial.verified, &trial.drafting})
        for (int number = 1; number <= rows->most(); ++number)
          if (rows->with(number) > 0) numbers.insert(number);
  return {numbers.begin(), numbers.end()};
}

std::vector<std::int32_t> read_numbers_of_rows(const hdf5::Reader& file, const std::string& path) {
  auto numbers = file.read<std::int32_t>(path, {hdf5::Reader::kAny});
  if (numbers.empty() || numbers.front() < 1 || numbers.back() > kMostRows ||
      std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) != numbers.end())
    file.refuse(path,
                fmt::format("expected 1 to {}, ascending, found {}", kMostRows, ends_of(numbers)));
  return numbers;
}

std::vector<std::string> read_names(const hdf5::Reader& file, const std::string& path) {
  std::vector<std::string> names = lines_of(file.read_text(path, kMostNames * (kLongestName + 1)));
  const auto is_of_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  for (const std::string& name : names)
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_of_name))
      file.refuse(
          path, fmt::format("expected names of settings, such as draft-length, found '{}'", name));
  return names;
}

/// The kinds of groups, before their machines' names, that trials of a method replace, and what makes these.
struct Older {
  const char* method;
  const char* kind;
  const char* command;
};
constexpr Older kOlder[] = {
    {"ngrammys", "/ngrammys_grid/", "calibrate ngrammys"},
    {"ssd", "/draft_settings/", "calibrate ssd"},
    {"tsd", "/graph_settings/", "calibrate gsd"},
    {"gsd", "/graph_settings/", "calibrate gsd"},
    {"parallelspec-eagle", "/tree_settings/eagle/", "calibrate parallelspec --flavour eagle"},
    {"parallelspec-medusa", "/tree_settings/medusa/", "calibrate parallelspec --flavour medusa"},
    {"eagle-ar", "/tree_settings/eagle-ar/", "calibrate parallelspec --flavour eagle-ar"},
    {"medusa-heads", "/tree_settings/medusa-heads/",
     "calibrate parallelspec --flavour medusa-heads"},
};

}  // namespace

std::string trials_group(const std::string& method, const std::string& drafter) {
  return fmt::format("{}/{}{}{}", kTrials, method, drafter.empty() ? "" : "/", drafter);
}

bool is_trials_group(const std::string& group) {
  return group.starts_with(std::string(kTrials) + "/");
}

std::string method_of_trials(const std::string& group) {
  const std::size_t begin = std::string(kTrials).size() + 1;
  return group.substr(begin, group.find('/', begin) - begin);
}

bool has_trials_of_named(const ArtifactSet& known, const std::string& method) {
  const std::vector<std::string> groups = known.groups();
  return std::any_of(groups.begin(), groups.end(),
                     [below = trials_group(method) + "/"](const std::string& group) {
                       return group.starts_with(below);
                     });
}

void write_trials(const cost::Trials& trials, hdf5::Writer& file, const std::string& group) {
  file.add_text(group + "/drafter", trials.drafter);
  file.add_number<std::int32_t>(group + "/context", trials.context);
  file.add_text(group + "/names", as_lines(trials.names));
  const std::vector<std::int32_t> numbers = numbers_of_rows(trials);
  file.add<std::int32_t>(group + "/pass_rows", {numbers.size()}, numbers, hdf5::Packing::kPlain);
  for (std::size_t i = 0; i < trials.by_temperature.size(); ++i) {
    const cost::TemperatureTrials& one = trials.by_temperature[i];
    const std::string prefix = temperature_group(group, i) + "/";
    file.add_number<double>(prefix + "temperature", one.temperature);
    file.add_number<std::int64_t>(prefix + "positions", one.positions);
    write_trial_columns(one.trials, trials.names, numbers, file, prefix);
  }
}

cost::Trials read_trials(const hdf5::Reader& file, const std::string& group) {
  cost::Trials trials;
  trials.drafter = file.read_text(group + "/drafter", kLongestHash);
  trials.context = read_at_least(file, group + "/context", 0);
  trials.names = read_names(file, group + "/names");
  const std::vector<std::string> temperatures = temperature_groups(file, group);
  const std::vector<std::int32_t> numbers = read_numbers_of_rows(file, group + "/pass_rows");
  for (const std::string& one : temperatures) {
    const std::string prefix = one + "/";
    cost::TemperatureTrials& found = trials.by_temperature.emplace_back();
    found.temperature = read_in(file, prefix + "temperature", 0, 1e9);
    found.positions = file.read_number<std::int64_t>(prefix + "positions");
    if (found.positions < 0 || found.positions > kMostCounted)
      file.refuse(prefix + "positions",
                  fmt::format("expected 0 to {}, found {}", kMostCounted, found.positions));
    found.trials = read_trial_columns(file, prefix, trials.names, numbers);
  }
  return trials;
}

const ArtifactFile* file_with_trials(const ArtifactSet& known, const std::string& method) {
  if (const ArtifactFile* const file = known.with(trials_group(method))) return file;
  for (const Older& older : kOlder) {
    if (method != older.method) continue;
    for (const std::string& group : known.groups())
      if (group.starts_with(older.kind))
        throw InputError(fmt::format(
            "{}: {} is of an earlier version, whose settings are not read; `{}` makes {} in its "
            "place",
            known.with(group)->reader().name(), group, older.command, trials_group(method)));
  }
  return nullptr;
}

}  // namespace outrider::artifacts
