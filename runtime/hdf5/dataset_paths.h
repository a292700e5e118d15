#pragma once

#include <string>
#include <vector>

#include "runtime/hdf5/reader.h"

namespace outrider::hdf5 {

/// The paths of all datasets below a group, in alphabetical order within each group.
/// @param group  "" for the whole file
/// @throws InputError for more paths than our files have, which links can cause
std::vector<std::string> dataset_paths(const Reader& file, const std::string& group = "");

}  // namespace outrider::hdf5
