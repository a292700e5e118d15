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

/// One tensor: numbers of its innermost dimension lie next to each other.
struct GgufTensor {
  std::string_view name;
  WeightType type;
  int dimensions;                     // 1 to 4
  std::array<std::int64_t, 4> shape;  // innermost first; 1 beyond `dimensions`
  std::span<const std::byte> bytes;
};

/// A tensor's description as it stands before the data.
struct GgufTensorInfo {
  GgufTensor tensor;     // its bytes are not known yet
  std::uint64_t offset;  // into the data
  std::uint64_t size;    // in bytes
};

/// Reads one description.
/// @throws InputError when it is cut off, its type is not supported or its shape cannot be
GgufTensorInfo read_gguf_tensor(ByteReader& reader);

/// Gives every tensor its bytes of `data`.
/// @param start      where `data` begins in the file, for messages
/// @param alignment  every offset must be a multiple of
/// @throws InputError when the data of a tensor is misaligned, outside the file or shared
std::vector<GgufTensor> place_gguf_tensors(const std::vector<GgufTensorInfo>& infos,
                                           std::span<const std::byte> data, std::size_t start,
                                           std::uint64_t alignment, const std::string& file);

}  // namespace outrider::model
