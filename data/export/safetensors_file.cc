#include "data/export/safetensors_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace outrider::data {
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

SafetensorsFile::SafetensorsFile(OutputFile& file, std::vector<Tensor> tensors,
                                 const std::map<std::string, std::string>& metadata)
    : file_(file) {
  static_assert(std::endian::native == std::endian::little, "the format is little-endian");
  // The widest numbers first, so that every tensor begins at a multiple of the width of its own.
  std::stable_sort(tensors.begin(), tensors.end(), [](const Tensor& a, const Tensor& b) {
    return size_of(a.type) > size_of(b.type);
  });
  nlohmann::ordered_json header = {{"__metadata__", metadata}};
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors) {
    std::uint64_t bytes = size_of(tensor.type);
    for (const std::uint64_t dim : tensor.dims) bytes *= dim;
    header[tensor.name] = {{"dtype", safetensors_type(tensor.type)},
                           {"shape", tensor.dims},
                           {"data_offsets", {offset, offset + bytes}}};
    places_[tensor.name] = {tensor.type, offset, offset + bytes};
    offset += bytes;
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // where the first begins
  const std::uint64_t length = text.size();
  file_.write_at(0, as_text(std::as_bytes(std::span(&length, 1))));
  file_.write_at(sizeof length, text);
  for (auto& [name, place] : places_) {
    place.next += sizeof length + length;
    place.end += sizeof length + length;
  }
}

void SafetensorsFile::append_bytes(const std::string& name, hdf5::NumberType type,
                                   std::span<const std::byte> bytes) {
  Place& place = places_.at(name);
  if (type != place.type || bytes.size() > place.end - place.next) {
    throw std::logic_error(fmt::format("tensor '{}': of another type, or too long", name));
  }
  file_.write_at(place.next, as_text(bytes));
  place.next += bytes.size();
}

void SafetensorsFile::commit() {
  for (const auto& [name, place] : places_) {
    if (place.next != place.end) throw std::logic_error(fmt::format("tensor '{}': short", name));
  }
  file_.commit();
}

}  // namespace outrider::data
