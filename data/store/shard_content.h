#pragma once

#include <string>

#include "runtime/hdf5/reader.h"

namespace outrider::data {

/// The hash of names, types, shapes and values of all datasets of a file in alphabetical order,
/// independent of their packing.
std::string content_hash(const hdf5::Reader& file);

}  // namespace outrider::data
