#include "runtime/base/duration_text.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>

namespace outrider {

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace outrider
