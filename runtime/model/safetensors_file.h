#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/model/weight.h"

namespace outrider::model {

/// One tensor; the last dimension is contiguous.
struct SafeTensor {
  std::string name;
  std::optional<WeightType> type;   // nothing: bytes
  std::vector<std::int64_t> shape;  // outermost first
  std::span<const std::byte> bytes;
};

/// The tensors of a safetensors file (a 64-bit length, as many bytes of JSON, then the data) in the order
/// of their data, which is not copied.
/// @param name  of the file, for messages
/// @throws InputError if the header is cut off, too long, not JSON or has a duplicate name; a type is
///         not F32, F16, BF16 or U8; a size does not fit its shape; or the data overlap, leave gaps or
///         extend past the end
std::vector<SafeTensor> parse_safetensors(std::span<const std::byte> bytes,
                                          const std::string& name);

}  // namespace outrider::model
