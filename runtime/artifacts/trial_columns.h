#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cost/trial.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

// Trials of settings as datasets with one value for each, whatever a setting is.

/// Writes datasets of the trials. @tparam Trial  a cost::Trial
template <typename Trial>
class TrialColumns {
 public:
  /// Writes what every trial has. @param prefix  of the datasets' paths
  TrialColumns(hdf5::Writer& file, const std::string& prefix, const std::vector<Trial>& trials)
      : file_(file), prefix_(prefix), trials_(trials) {
    add<std::int64_t>("rounds", [](auto& one) { return one.rounds; });
    add<std::int64_t>("tokens", [](auto& one) { return one.tokens; });
    add<std::int64_t>("drafted", [](auto& one) { return one.drafted; });
    add_rows(
        "verified", [](auto& one) -> auto& { return one.verified; });
    add_rows(
        "drafting", [](auto& one) -> auto& { return one.drafting; });
    add<double>("tokens_per_second", [](auto& one) { return one.tokens_per_second; });
  }

  template <typename T, typename Value>
  void add(const std::string& name, const Value& value_of) {
    std::vector<T> column;
    for (const Trial& trial : trials_) column.push_back(static_cast<T>(value_of(trial)));
    file_.add<T>(prefix_ + name, {column.size()}, column, hdf5::Packing::kPacked);
  }

 private:
  template <typename Rows>
  void add_rows(const std::string& name, const Rows& rows_of) {
    std::vector<std::int32_t> all;
    for (const Trial& trial : trials_) {
      const auto& counts = rows_of(trial).counts();
      all.insert(all.end(), counts.begin(), counts.end());
    }
    file_.add<std::int32_t>(prefix_ + name, {trials_.size(), cost::PassRows::numbers().size()}, all,
                            hdf5::Packing::kPacked);
  }

  hdf5::Writer& file_;
  std::string prefix_;
  const std::vector<Trial>& trials_;
};

/// Reads such datasets.
class TrialColumnsReader {
 public:
  /// @param size_from  a dataset with whole numbers for each trial
  /// @throws InputError for no trials, or too many
  TrialColumnsReader(const hdf5::Reader& file, std::string prefix, const std::string& size_from);

  std::size_t size() const { return size_; }
  /// A dataset's numbers. @throws InputError for those that are not `least` to `most`
  std::vector<std::int32_t> whole(const std::string& name, int least) const;
  std::vector<std::int64_t> counts(const std::string& name) const;
  std::vector<double> shares(const std::string& name) const;
  /// What every trial has.
  std::vector<cost::Trial> trials() const;

 private:
  std::vector<cost::PassRows> rows(const std::string& name) const;

  const hdf5::Reader& file_;
  std::string prefix_;
  std::size_t size_;
};

}  // namespace outrider::artifacts
