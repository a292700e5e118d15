#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/hdf5/reader.h"

namespace outrider::artifacts {

/// The sub-group with a group's results for one temperature, which is the dataset `temperature` in
/// it.
/// @param number  of the temperature, ascending from 0
std::string temperature_group(const std::string& group, std::size_t number);

/// The temperature groups of a group: 1 to 64, ascending by temperature.
/// @throws InputError for others
std::vector<std::string> temperature_groups(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
