#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/model/weight.h"

namespace outrider::model {

/// One tensor: numbers of its last dimension lie next to each other.
struct SafeTensor {
  std::string name;
  WeightType type;
  std::vector<std::int64_t> shape;  // outermost first
  std::span<const std::byte> bytes;
};

/// The tensors of a safetensors file in the order of their data: a length of 64 bits, as many bytes of
/// JSON, then the data. Nothing is copied but names and numbers.
/// @param name  of the file, for messages
/// @throws InputError where the header is cut off, too long, not JSON or holds a name twice; a type is
///         not F32, F16 or BF16; a size does not fit its shape; or the data overlap, leave gaps or
///         reach past the end
std::vector<SafeTensor> parse_safetensors(std::span<const std::byte> bytes,
                                          const std::string& name);

}  // namespace outrider::model
