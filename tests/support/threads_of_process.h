#pragma once

#include <filesystem>
#include <iterator>

namespace outrider::test {

/// How many threads this process has now.
inline auto threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

}  // namespace outrider::test
