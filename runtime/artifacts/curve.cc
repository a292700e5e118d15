#include "runtime/artifacts/curve.h"

#include <fmt/core.h>

#include <cmath>

#include "runtime/artifacts/checked_numbers.h"

namespace outrider::artifacts {

std::vector<double> read_curve(const hdf5::Reader& file, const std::string& path,
                               const hdf5::Dims& dims) {
  auto numbers = file.read<double>(path, dims);
  check_finite(file, path, numbers);
  return numbers;
}

std::vector<double> read_times(const hdf5::Reader& file, const std::string& path,
                               const hdf5::Dims& dims) {
  auto seconds = file.read<double>(path, dims);
  for (const double one : seconds)
    if (!(one >= 0) || std::isinf(one))
      file.refuse(path, fmt::format("expected seconds, 0 or more, found {}", one));
  return seconds;
}

}  // namespace outrider::artifacts
