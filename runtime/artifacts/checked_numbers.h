#pragma once

#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "runtime/hdf5/reader.h"

namespace outrider::artifacts {

/// A number from `low` to `high`. @throws InputError for another
double read_in(const hdf5::Reader& file, const std::string& path, double low, double high);

/// A whole number from `least` on. @throws InputError for another
int read_at_least(const hdf5::Reader& file, const std::string& path, int least);

/// @throws InputError for a number that is NaN or infinite
template <typename T>
void check_finite(const hdf5::Reader& file, const std::string& path,
                  const std::vector<T>& numbers) {
  for (const T one : numbers)
    if (!std::isfinite(one))
      file.refuse(path, fmt::format("expected finite numbers, found {}", one));
}

/// What numbers are in a message: "3 numbers from 1 to 8".
template <typename T>
std::string ends_of(const std::vector<T>& numbers) {
  if (numbers.empty()) return "none";
  return fmt::format("{} numbers from {} to {}", numbers.size(), numbers.front(), numbers.back());
}

}  // namespace outrider::artifacts
