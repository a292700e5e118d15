#include "calibrate/trials/record_stretches.h"

#include <fmt/core.h>

#include "runtime/base/error.h"

namespace outrider::calibrate {

std::vector<Stretch> stretches_at(double temperature, const std::vector<const Answer*>& answers,
                                  int positions, std::size_t last, const std::string& data) {
  std::vector<Stretch> stretches =
      choose_stretches(answers, static_cast<std::size_t>(positions), last);
  if (stretches.empty())
    throw InputError(
        fmt::format("{}: expected texts of two generated tokens or more outside loops, found none "
                    "at temperature {:g}",
                    data, temperature));
  return stretches;
}

std::int64_t positions_of(const std::vector<Stretch>& stretches) {
  std::int64_t positions = 0;
  for (const Stretch& one : stretches) positions += static_cast<std::int64_t>(one.end - one.first);
  return positions;
}

}  // namespace outrider::calibrate
