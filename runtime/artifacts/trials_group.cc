#include "runtime/artifacts/trials_group.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/temperature_groups.h"
#include "runtime/base/error.h"

namespace outrider::artifacts {
namespace {

using cost::PassRows;
using cost::Trial;

constexpr std::size_t kMostTried = 100'000;
constexpr std::size_t kMostNames = 64;
constexpr std::size_t kLongestName = 64, kLongestHash = 64;
constexpr std::size_t kLongestColumn = 1 << 24;
constexpr int kMostRows = 1 << 12;  // of a pass
constexpr std::int64_t kMostCounted = std::int64_t{1} << 40;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// A line for each.
template <typename Texts>
std::string as_lines(const Texts& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += text + '\n';
  return lines;
}

/// Columns with a value for each trial of a temperature.
class ColumnWriter {
 public:
  ColumnWriter(const std::vector<Trial>& trials, hdf5::Writer& file, std::string prefix)
      : trials_(trials), file_(file), prefix_(std::move(prefix)) {}

  /// @param value_of  (trial) -> number
  template <typename T, typename ValueOf>
  void add(const std::string& name, const ValueOf& value_of) {
    std::vector<T> column;
    for (const Trial& trial : trials_) column.push_back(value_of(trial));
    file_.add<T>(prefix_ + name, {column.size()}, column, hdf5::Packing::kPacked);
  }
  /// @param numbers  of rows, of which any of the passes are
  void add_rows(const std::string& name, const std::vector<std::int32_t>& numbers,
                PassRows Trial::*rows) {
    std::vector<std::int32_t> all;
    for (const Trial& trial : trials_)
      for (const std::int32_t number : numbers) all.push_back((trial.*rows).with(number));
    file_.add<std::int32_t>(prefix_ + name, {trials_.size(), numbers.size()}, all,
                            hdf5::Packing::kPacked);
  }
  void add_setting(const std::string& name) {
    const std::string path = "settings/" + name;
    if (!has_texts(name)) {
      add<double>(path, [&](const Trial& trial) {
        const auto found = trial.settings.find(name);
        return found == trial.settings.end() ? kNone : std::get<double>(found->second);
      });
      return;
    }
    std::vector<std::string> texts;
    for (const Trial& trial : trials_) {
      const auto found = trial.settings.find(name);
      texts.push_back(found == trial.settings.end() ? "" : std::get<std::string>(found->second));
    }
    file_.add_text(prefix_ + path, as_lines(texts));
  }

 private:
  bool has_texts(const std::string& name) const {
    return std::any_of(trials_.begin(), trials_.end(), [&](const Trial& trial) {
      const auto found = trial.settings.find(name);
      return found != trial.settings.end() && std::holds_alternative<std::string>(found->second);
    });
  }

  const std::vector<Trial>& trials_;
  hdf5::Writer& file_;
  std::string prefix_;
};

/// Reads such columns into trials.
class ColumnReader {
 public:
  /// @param numbers  of rows that passes are counted by
  ColumnReader(const hdf5::Reader& file, std::string prefix,
               const std::vector<std::int32_t>& numbers)
      : file_(file), prefix_(std::move(prefix)) {
    const std::string path = prefix_ + "rounds";
    const auto rounds = file.read<std::int64_t>(path, {hdf5::Reader::kAny});
    if (rounds.empty() || rounds.size() > kMostTried)
      file.refuse(path,
                  fmt::format("expected 1 to {} trials, found {}", kMostTried, rounds.size()));
    trials_.resize(rounds.size());
    counts("rounds", 1, [](Trial& trial) -> std::int64_t& { return trial.rounds; });
    counts("tokens", 0, [](Trial& trial) -> std::int64_t& { return trial.tokens; });
    counts("drafted", 0, [](Trial& trial) -> std::int64_t& { return trial.drafted; });
    counts("lacking", 0, [](Trial& trial) -> std::int64_t& { return trial.lacking; });
    rows("verified", numbers, &Trial::verified);
    rows("drafting", numbers, &Trial::drafting);
    const auto trees = file.read<std::uint8_t>(prefix_ + "is_tree", {trials_.size()});
    for (std::size_t i = 0; i < trees.size(); ++i)
      trials_[i].shape = trees[i] != 0 ? cost::Shape::kTree : cost::Shape::kChain;
    if (!file.is_group(prefix_ + "counts")) return;
    for (const std::string& name : file.names(prefix_ + "counts"))
      counts("counts/" + name, 0, [&](Trial& trial) -> std::int64_t& { return trial.other[name]; });
  }

  void setting(const std::string& name) {
    const std::string path = prefix_ + "settings/" + name;
    if (file_.info(path).is_text) {
      const std::vector<std::string> texts = lines_of(file_.read_text(path, kLongestColumn));
      if (texts.size() != trials_.size())
        file_.refuse(path,
                     fmt::format("expected {} lines, found {}", trials_.size(), texts.size()));
      for (std::size_t i = 0; i < texts.size(); ++i)
        if (!texts[i].empty()) trials_[i].settings[name] = texts[i];
      return;
    }
    const auto numbers = file_.read<double>(path, {trials_.size()});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isinf(numbers[i])) file_.refuse(path, "expected numbers, found an infinite one");
      if (!std::isnan(numbers[i])) trials_[i].settings[name] = numbers[i];
    }
  }

  std::vector<Trial> take() { return std::move(trials_); }

 private:
  /// @param count_of  (trial) -> the count that it is
  template <typename CountOf>
  void counts(const std::string& name, std::int64_t least, const CountOf& count_of) {
    const std::string path = prefix_ + name;
    const auto column = file_.read<std::int64_t>(path, {trials_.size()});
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (column[i] < least || column[i] > kMostCounted)
        file_.refuse(path,
                     fmt::format("expected {} to {}, found {}", least, kMostCounted, column[i]));
      count_of(trials_[i]) = column[i];
    }
  }

  void rows(const std::string& name, const std::vector<std::int32_t>& numbers,
            PassRows Trial::*rows) {
    const std::string path = prefix_ + name;
    const auto all = file_.read<std::int32_t>(path, {trials_.size(), numbers.size()});
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] < 0) file_.refuse(path, fmt::format("expected 0 or more, found {}", all[i]));
      (trials_[i / numbers.size()].*rows).add(numbers[i % numbers.size()], all[i]);
    }
  }

  const hdf5::Reader& file_;
  std::string prefix_;
  std::vector<Trial> trials_;
};

/// The counts that any of the trials has besides those of all methods.
std::set<std::string> other_counts(const std::vector<Trial>& trials) {
  std::set<std::string> names;
  for (const Trial& trial : trials)
    for (const auto& [name, count] : trial.other) names.insert(name);
  return names;
}

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
    {"ngrammys", "/ngrammys_grid/", "calibrate ngrams"},
    {"ssd", "/draft_settings/", "calibrate draft"},
    {"tsd", "/graph_settings/", "calibrate graph"},
    {"gsd", "/graph_settings/", "calibrate graph"},
    {"parallelspec-eagle", "/tree_settings/eagle/", "calibrate tree --flavour eagle"},
    {"parallelspec-medusa", "/tree_settings/medusa/", "calibrate tree --flavour medusa"},
    {"eagle-ar", "/tree_settings/eagle-ar/", "calibrate tree --flavour eagle-ar"},
    {"medusa-heads", "/tree_settings/medusa-heads/", "calibrate tree --flavour medusa-heads"},
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
    ColumnWriter columns(one.trials, file, prefix);
    for (const std::string& name : trials.names) columns.add_setting(name);
    columns.add<std::uint8_t>("is_tree", [](const Trial& trial) {
      return std::uint8_t{trial.shape == cost::Shape::kTree};
    });
    columns.add<std::int64_t>("rounds", [](const Trial& trial) { return trial.rounds; });
    columns.add<std::int64_t>("tokens", [](const Trial& trial) { return trial.tokens; });
    columns.add<std::int64_t>("drafted", [](const Trial& trial) { return trial.drafted; });
    columns.add<std::int64_t>("lacking", [](const Trial& trial) { return trial.lacking; });
    columns.add_rows("verified", numbers, static_cast<PassRows Trial::*>(&Trial::verified));
    columns.add_rows("drafting", numbers, static_cast<PassRows Trial::*>(&Trial::drafting));
    for (const std::string& name : other_counts(one.trials))
      columns.add<std::int64_t>("counts/" + name, [&](const Trial& trial) {
        const auto found = trial.other.find(name);
        return found == trial.other.end() ? 0 : found->second;
      });
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
    ColumnReader columns(file, prefix, numbers);
    for (const std::string& name : trials.names) columns.setting(name);
    found.trials = columns.take();
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
