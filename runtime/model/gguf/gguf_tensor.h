#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/byte_reader.h"
#include "runtime/model/weight.h"

namespace outrider::model {

/// One tensor; the innermost dimension is contiguous.
struct GgufTensor {
  std::string_view name;
  WeightType type;
  int dimensions;                     // 1 to 4
  std::array<std::int64_t, 4> shape;  // innermost first; 1 beyond `dimensions`
  std::span<const std::byte> bytes;
};

/// A tensor's description in the header.
struct GgufTensorInfo {
  GgufTensor tensor;     // without its bytes
  std::uint64_t offset;  // into the data
  std::uint64_t size;    // in bytes
};

/// The number of a type in files.
std::uint32_t gguf_type_number(WeightType type);

/// Reads one description.
/// @throws InputError if it is cut off, or its type or shape is not supported
GgufTensorInfo read_gguf_tensor(ByteReader& reader);

/// Assigns every tensor its bytes of `data`.
/// @param start      offset of `data` in the file, for messages
/// @param alignment  every offset must be a multiple of it
/// @throws InputError if the data of a tensor are misaligned, outside the file or overlap another's
std::vector<GgufTensor> assign_gguf_data(const std::vector<GgufTensorInfo>& infos,
                                         std::span<const std::byte> data, std::size_t start,
                                         std::uint64_t alignment, const std::string& file);

}  // namespace outrider::model
