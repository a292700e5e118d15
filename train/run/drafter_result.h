#pragma once

#include <filesystem>
#include <string>

#include "runtime/artifacts/replace_group.h"
#include "train/run/training_run.h"

namespace outrider::train {

/// The group of an artifact file that the drafter of a run is written to.
class DrafterResult {
 public:
  /// @param run  must outlive it
  /// @throws InputError as result_file does
  DrafterResult(const TrainingRun& run, const std::string& group);

  /// Writes the group, with the options of the run.
  /// @param quantise  as it was used for the result
  /// @return the file
  const std::filesystem::path& write(const std::string& command, const std::string& quantise,
                                     const artifacts::FillGroup& fill) const;

 private:
  /// The options of the run, with --quantise as it was used for the result.
  std::string recipe(const std::string& quantise) const;

  const TrainingRun& run_;
  artifacts::TargetIdentity target_;
  std::string group_;
  std::filesystem::path path_;
};

}  // namespace outrider::train
