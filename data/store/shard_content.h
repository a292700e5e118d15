#pragma once

#include <string>

#include "runtime/hdf5/reader.h"

namespace outrider::data {

/// The hash of everything in a file: names, types, shapes and values of its datasets in alphabetical
/// order. How they are packed does not count.
std::string content_hash(const hdf5::Reader& file);

}  // namespace outrider::data
