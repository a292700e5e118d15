#include "runtime/base/build_name.h"

#include <fmt/core.h>

#include "commit.h"  // written by cmake/WriteCommit.cmake

namespace outrider {

std::string code_version() {
  return fmt::format("{}, commit {}", OUTRIDER_VERSION, OUTRIDER_COMMIT);
}

std::string build_name() {
  return fmt::format("outrider {}, {}", code_version(), OUTRIDER_COMPILER);
}

}  // namespace outrider
