#pragma once

#include <filesystem>
#include <string>

namespace outrider::calibrate {

/// What became of the work that several processes divided with --shard.
struct MergedWork {
  int stages = 0;      // of the study, of which there are parts
  int unfinished = 0;  // stages of which parts are not finished
  std::string text;    // a line for each stage
};

/// Joins the parts of each stage, beside an artifact file, of which all are finished.
/// @throws InputError where there are none
MergedWork merge_work(const std::filesystem::path& artifact);

}  // namespace outrider::calibrate
