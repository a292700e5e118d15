#include "runtime/artifacts/trial_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "runtime/artifacts/column_writer.h"
#include "runtime/artifacts/text_lines.h"

namespace outrider::artifacts {
namespace {

using cost::PassRows;
using cost::Trial;

constexpr std::size_t kMostTried = 100'000;
constexpr std::size_t kLongestColumn = 1 << 24;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Columns that are not a number of each trial.
class TrialWriter : public ColumnWriter<Trial> {
 public:
  using ColumnWriter::ColumnWriter;

  /// @param numbers  of rows, of which any of the passes are
  void add_rows(const std::string& name, const std::vector<std::int32_t>& numbers,
                PassRows Trial::*rows) {
    std::vector<std::int32_t> all;
    for (const Trial& trial : rows_)
      for (const std::int32_t number : numbers) all.push_back((trial.*rows).with(number));
    file_.add<std::int32_t>(prefix_ + name, {rows_.size(), numbers.size()}, all,
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
    for (const Trial& trial : rows_) {
      const auto found = trial.settings.find(name);
      texts.push_back(found == trial.settings.end() ? "" : std::get<std::string>(found->second));
    }
    file_.add_text(prefix_ + path, as_lines(texts));
  }

 private:
  bool has_texts(const std::string& name) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const Trial& trial) {
      const auto found = trial.settings.find(name);
      return found != trial.settings.end() && std::holds_alternative<std::string>(found->second);
    });
  }
};

/// Reads such columns into trials.
class TrialReader {
 public:
  /// @param numbers  of rows that passes are counted by
  TrialReader(const hdf5::Reader& file, std::string prefix,
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

}  // namespace

void write_trial_columns(const std::vector<Trial>& trials, const std::vector<std::string>& names,
                         const std::vector<std::int32_t>& numbers, hdf5::Writer& file,
                         const std::string& prefix) {
  TrialWriter columns(trials, file, prefix);
  for (const std::string& name : names) columns.add_setting(name);
  columns.add<std::uint8_t>("is_tree", [](const Trial& trial) {
    return std::uint8_t{trial.shape == cost::Shape::kTree};
  });
  columns.add<std::int64_t>("rounds", [](const Trial& trial) { return trial.rounds; });
  columns.add<std::int64_t>("tokens", [](const Trial& trial) { return trial.tokens; });
  columns.add<std::int64_t>("drafted", [](const Trial& trial) { return trial.drafted; });
  columns.add<std::int64_t>("lacking", [](const Trial& trial) { return trial.lacking; });
  columns.add_rows("verified", numbers, static_cast<PassRows Trial::*>(&Trial::verified));
  columns.add_rows("drafting", numbers, static_cast<PassRows Trial::*>(&Trial::drafting));
  for (const std::string& name : other_counts(trials))
    columns.add<std::int64_t>("counts/" + name, [&](const Trial& trial) {
      const auto found = trial.other.find(name);
      return found == trial.other.end() ? 0 : found->second;
    });
}

std::vector<Trial> read_trial_columns(const hdf5::Reader& file, const std::string& prefix,
                                      const std::vector<std::string>& names,
                                      const std::vector<std::int32_t>& numbers) {
  TrialReader columns(file, prefix, numbers);
  for (const std::string& name : names) columns.setting(name);
  return columns.take();
}

}  // namespace outrider::artifacts
