#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "runtime/artifacts/replace_group.h"
#include "train/run/training_run.h"

namespace outrider::train {

/// The group of an artifact file that the drafter of a run is written to.
class DrafterResult {
 public:
  using UsedOptions = std::vector<std::pair<const char*, std::string>>;

  /// @param run  must outlive it
  /// @throws InputError as result_file does
  DrafterResult(const TrainingRun& run, const std::string& group);

  /// Writes the group, with the options of the run.
  /// @param used  options and their values as the result has them, which --finish can choose anew
  /// @return the file
  const std::filesystem::path& write(const std::string& command, const UsedOptions& used,
                                     const artifacts::FillGroup& fill) const;

 private:
  /// The options of the run, with those as they were used.
  std::string recipe(const UsedOptions& used) const;

  const TrainingRun& run_;
  artifacts::TargetIdentity target_;
  std::string group_;
  std::filesystem::path path_;
};

}  // namespace outrider::train
