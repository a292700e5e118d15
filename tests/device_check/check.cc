#include "tests/device_check/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

namespace outrider::device_check {

void Check::say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

void Check::fail(const std::string& what) {
  good = false;
  found["failed"].push_back(what);
  say("FAILED: " + what);
}

Effort Check::effort(double share, int count) const {
  if (settings.tiny) return {.least = 1, .most = 1, .seconds = 0};
  return {.least = 3, .most = 50, .seconds = std::min(0.2, 60 * settings.minutes * share / count)};
}

Json Check::share_of_copy(double bytes_per_second) const {
  if (copy_bytes_per_second == 0) return nullptr;
  return bytes_per_second / copy_bytes_per_second;
}

std::string Check::percent(double bytes_per_second) const {
  if (copy_bytes_per_second == 0) return "-";
  return fmt::format("{:.0f}%", 100 * bytes_per_second / copy_bytes_per_second);
}

}  // namespace outrider::device_check
