#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace outrider::calibrate {

/// Trials of a method at a temperature, now of the texts of several files.
struct AddedTrials {
  std::string group;  // "/trials/gsd"
  double temperature = 0;
  std::size_t settings = 0;  // that were tried on all texts
  std::int64_t positions = 0;
};

/// Adds what studies tried of methods on the texts of other artifact files to what they tried on those of `file`, where it is
/// stored: the counts of settings that were tried on all. Methods of which no other file has trials stay as they are.
/// @param resolved  all options as TOML, for the record
/// @throws InputError for files of another target or drafter, and where nothing can be added
std::vector<AddedTrials> add_trials(const std::filesystem::path& file,
                                    const std::vector<std::string>& others,
                                    const std::string& resolved);

}  // namespace outrider::calibrate
