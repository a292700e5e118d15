#include "runtime/model/safetensors_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "runtime/base/json_text.h"

namespace outrider::model {
namespace {

const char* safetensors_type(hdf5::NumberType type) {
  using hdf5::NumberType;
  switch (type) {
    case NumberType::kUint8:
      return "U8";
    case NumberType::kUint16:
      return "U16";
    case NumberType::kInt32:
      return "I32";
    case NumberType::kInt64:
      return "I64";
    case NumberType::kUint64:
      return "U64";
    case NumberType::kFloat32:
      return "F32";
    case NumberType::kFloat64:
      return "F64";
    case NumberType::kBfloat16:
      break;
  }
  return "BF16";
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(OutputFile& file, std::vector<Tensor> tensors,
                                     const std::map<std::string, std::string>& metadata)
    : file_(file) {
  static_assert(std::endian::native == std::endian::little, "the format is little-endian");
  // Widest numbers first, so that every tensor is aligned to its own width.
  std::stable_sort(tensors.begin(), tensors.end(), [](const Tensor& a, const Tensor& b) {
    return size_of(a.type) > size_of(b.type);
  });
  nlohmann::ordered_json header = {{"__metadata__", metadata}};
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors) {
    std::uint64_t bytes = size_of(tensor.type);
    for (const std::uint64_t dim : tensor.dims) bytes *= dim;
    header[tensor.name] = {{"dtype", tensor.is_bool ? "BOOL" : safetensors_type(tensor.type)},
                           {"shape", tensor.dims},
                           {"data_offsets", {offset, offset + bytes}}};
    ranges_[tensor.name] = {tensor.type, offset, offset + bytes};
    offset += bytes;
  }
  std::string text = json_text(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the data begin at a multiple of 8
  const std::uint64_t length = text.size();
  file_.write_at(0, as_text(std::as_bytes(std::span(&length, 1))));
  file_.write_at(sizeof length, text);
  for (auto& [name, range] : ranges_) {
    range.next += sizeof length + length;
    range.end += sizeof length + length;
  }
}

void SafetensorsWriter::append_bytes(const std::string& name, hdf5::NumberType type,
                                     std::span<const std::byte> bytes) {
  Range& range = ranges_.at(name);
  if (type != range.type || bytes.size() > range.end - range.next) {
    throw std::logic_error(fmt::format("tensor '{}': of another type, or too long", name));
  }
  file_.write_at(range.next, as_text(bytes));
  range.next += bytes.size();
}

void SafetensorsWriter::commit() {
  for (const auto& [name, range] : ranges_) {
    if (range.next != range.end) throw std::logic_error(fmt::format("tensor '{}': short", name));
  }
  file_.commit();
}

}  // namespace outrider::model
