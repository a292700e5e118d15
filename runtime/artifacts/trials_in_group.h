#pragma once

#include <optional>
#include <string>

namespace outrider::artifacts {

/// Where a group has trials, and of which method.
struct TrialsInGroup {
  std::string method;
  std::string path;  // as of read_trials
};

/// A group of trials itself, or one of a trained stop, whose trials are below it; nothing for any other.
std::optional<TrialsInGroup> trials_in(const std::string& group);

}  // namespace outrider::artifacts
