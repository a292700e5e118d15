#include "runtime/commands/build_name.h"

#include <fmt/core.h>

#include "commit.h"  // written by cmake/WriteCommit.cmake

namespace outrider {

std::string build_name() {
  return fmt::format("outrider {}, commit {}, {}", OUTRIDER_VERSION, OUTRIDER_COMMIT,
                     OUTRIDER_COMPILER);
}

}  // namespace outrider
