#include "runtime/artifacts/checked_numbers.h"

#include <fmt/core.h>

#include <cstdint>

namespace outrider::artifacts {

double read_in(const hdf5::Reader& file, const std::string& path, double low, double high) {
  const double value = file.read_number<double>(path);
  if (!(value >= low && value <= high))
    file.refuse(path, fmt::format("expected {} to {}, found {}", low, high, value));
  return value;
}

int read_at_least(const hdf5::Reader& file, const std::string& path, int least) {
  const int value = file.read_number<std::int32_t>(path);
  if (value < least) file.refuse(path, fmt::format("expected {} or more, found {}", least, value));
  return value;
}

}  // namespace outrider::artifacts
