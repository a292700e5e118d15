#include "runtime/artifacts/curve.h"

#include <cmath>

namespace outrider::artifacts {

std::vector<double> read_curve(const hdf5::Reader& file, const std::string& path,
                               const hdf5::Dims& dims) {
  auto numbers = file.read<double>(path, dims);
  for (const double one : numbers)
    if (!std::isfinite(one)) file.refuse(path, "holds what is no number");
  return numbers;
}

std::vector<double> read_times(const hdf5::Reader& file, const std::string& path,
                               const hdf5::Dims& dims) {
  auto seconds = file.read<double>(path, dims);
  for (const double one : seconds)
    if (!(one >= 0) || std::isinf(one)) file.refuse(path, "holds no time");
  return seconds;
}

}  // namespace outrider::artifacts
