#pragma once

#include <string>

#include "runtime/hdf5/reader.h"

namespace outrider::artifacts {

/// A number from `low` to `high`. @throws InputError for another
double read_in(const hdf5::Reader& file, const std::string& path, double low, double high);

/// A whole number from `least` on. @throws InputError for another
int read_at_least(const hdf5::Reader& file, const std::string& path, int least);

}  // namespace outrider::artifacts
