#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/answers/work_ahead.h"
#include "runtime/inference/target.h"

namespace outrider::calibrate {

// What studies of two parts have still to do of answers that are there, by the journals beside the artifact file. What the
// second part depends on is known only after the first, but follows from the answers and these settings alone.

inline constexpr const char* kHeadsCounted = "heads-counted";
inline constexpr const char* kHeadsTried = "heads-tried";
inline constexpr const char* kLayersTried = "layers";
inline constexpr const char* kLayerAveraged = "means-and-weights";

/// The settings of the journal kLayerAveraged; the others have none.
std::string settings_of_averaged(int draft_length);

/// Of the two parts of `calibrate heads`: heads counted, and their choices tried.
std::pair<WorkAhead, WorkAhead> left_of_heads(const std::filesystem::path& artifact,
                                              const inference::Target& target,
                                              const std::vector<Answer>& answers);
/// Of the two parts of `calibrate layer`: every layer tried, and the states of one averaged.
std::pair<WorkAhead, WorkAhead> left_of_layer(const std::filesystem::path& artifact,
                                              const inference::Target& target,
                                              const std::vector<Answer>& answers, int draft_length);

}  // namespace outrider::calibrate
