#include "runtime/base/utc_time.h"

#include <fmt/chrono.h>

#include <chrono>

namespace outrider {

std::string utc_now() {
  return fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace outrider
