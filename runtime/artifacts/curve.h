#pragma once

#include <string>
#include <vector>

#include "runtime/hdf5/reader.h"

namespace outrider::artifacts {

/// The numbers of a curve or a table, as Reader::read. @throws InputError also when one is not finite
std::vector<double> read_curve(const hdf5::Reader& file, const std::string& path,
                               const hdf5::Dims& dims);

/// Times, from 0 on. @throws InputError also for others
std::vector<double> read_times(const hdf5::Reader& file, const std::string& path,
                               const hdf5::Dims& dims);

}  // namespace outrider::artifacts
