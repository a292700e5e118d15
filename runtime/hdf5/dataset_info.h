#pragma once

#include <cstdint>

#include "runtime/hdf5/number_types.h"

namespace outrider::hdf5 {

struct DatasetInfo {
  bool is_text = false;  // else numbers:
  NumberType type = NumberType::kUint8;
  Dims dims;
  std::uint64_t stored_bytes = 0;  // compressed size in the file
};

}  // namespace outrider::hdf5
