#include "runtime/model/gguf/gguf_tensor.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "runtime/base/error.h"
#include "runtime/model/gguf/gguf_value.h"

namespace outrider::model {
namespace {

constexpr std::uint32_t kMaxDimensions = 4;

struct TensorType {
  std::uint32_t number;  // in the file
  WeightType type;
};
constexpr TensorType kTensorTypes[] = {
    {0, WeightType::kF32},    {1, WeightType::kF16},     {2, WeightType::kQ4_0},
    {3, WeightType::kQ4_1},   {6, WeightType::kQ5_0},    {7, WeightType::kQ5_1},
    {8, WeightType::kQ8_0},   {12, WeightType::kQ4_K},   {13, WeightType::kQ5_K},
    {14, WeightType::kQ6_K},  {30, WeightType::kBF16},   {10, WeightType::kQ2_K},
    {11, WeightType::kQ3_K},  {20, WeightType::kIQ4_NL}, {23, WeightType::kIQ4_XS},
    {39, WeightType::kMXFP4},
};

struct ForeignType {
  std::uint32_t number;
  const char* name;
};
/// Unsupported types, for messages.
constexpr ForeignType kForeignTypes[] = {
    {9, "Q8_1"},   {15, "Q8_K"},  {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"},
    {21, "IQ3_S"}, {22, "IQ2_S"}, {24, "I8"},      {25, "I16"},    {26, "I32"},     {27, "I64"},
    {28, "F64"},   {29, "IQ1_M"}, {34, "TQ1_0"},   {35, "TQ2_0"},  {40, "NVFP4"},   {41, "Q1_0"},
};

WeightType tensor_type(std::uint32_t number, std::string_view tensor, const std::string& file) {
  for (const TensorType& known : kTensorTypes) {
    if (known.number == number) return known.type;
  }
  std::string found = fmt::format("the unknown type number {}", number);
  for (const ForeignType& foreign : kForeignTypes) {
    if (foreign.number == number) found = fmt::format("type {}", foreign.name);
  }
  std::string supported;
  for (const TensorType& known : kTensorTypes)
    supported += fmt::format("{}{}", supported.empty() ? "" : ", ", type_name(known.type));
  throw InputError(
      fmt::format("{}: tensor '{}' has {}, which is not supported (expected one of {})", file,
                  tensor, found, supported));
}

void refuse_shared_data(const std::vector<GgufTensor>& tensors, const std::string& file) {
  std::vector<const GgufTensor*> in_order;
  in_order.reserve(tensors.size());
  for (const GgufTensor& tensor : tensors) in_order.push_back(&tensor);
  std::sort(in_order.begin(), in_order.end(), [](const GgufTensor* a, const GgufTensor* b) {
    return a->bytes.data() < b->bytes.data();
  });
  for (std::size_t i = 1; i < in_order.size(); ++i) {
    const GgufTensor& before = *in_order[i - 1];
    if (before.bytes.data() + before.bytes.size() > in_order[i]->bytes.data()) {
      throw InputError(fmt::format("{}: the data of tensors '{}' and '{}' overlap", file,
                                   before.name, in_order[i]->name));
    }
  }
}

}  // namespace

GgufTensorInfo read_gguf_tensor(ByteReader& reader) {
  GgufTensorInfo info = {};
  GgufTensor& tensor = info.tensor;
  tensor.name = read_gguf_name(reader, "a tensor's name");
  const std::string what = fmt::format("tensor '{}'", tensor.name);

  const auto dimensions = reader.number<std::uint32_t>(what);
  if (dimensions < 1 || dimensions > kMaxDimensions) {
    throw InputError(fmt::format("{}: {} has {} dimensions (expected 1 to {})", reader.file(), what,
                                 dimensions, kMaxDimensions));
  }
  tensor.dimensions = static_cast<int>(dimensions);
  tensor.shape.fill(1);
  std::int64_t numbers = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const auto extent = reader.number<std::uint64_t>(what);
    if (extent == 0 || extent > INT64_MAX ||
        __builtin_mul_overflow(numbers, static_cast<std::int64_t>(extent), &numbers)) {
      throw InputError(fmt::format("{}: {} has the impossible extent {} in dimension {}",
                                   reader.file(), what, extent, i + 1));
    }
    tensor.shape[i] = static_cast<std::int64_t>(extent);
  }

  tensor.type = tensor_type(reader.number<std::uint32_t>(what), tensor.name, reader.file());
  const BlockShape block = block_shape(tensor.type);
  if (tensor.shape[0] % block.numbers != 0) {
    throw InputError(fmt::format("{}: {} has rows of {} numbers; type {} needs a multiple of {}",
                                 reader.file(), what, tensor.shape[0], type_name(tensor.type),
                                 block.numbers));
  }
  const auto blocks = static_cast<std::uint64_t>(numbers / block.numbers);
  if (__builtin_mul_overflow(blocks, static_cast<std::uint64_t>(block.bytes), &info.size)) {
    throw InputError(fmt::format("{}: {} is too large", reader.file(), what));
  }
  info.offset = reader.number<std::uint64_t>(what);
  return info;
}

std::uint32_t gguf_type_number(WeightType type) {
  const auto* const found =
      std::find_if(std::begin(kTensorTypes), std::end(kTensorTypes),
                   [type](const TensorType& known) { return known.type == type; });
  if (found == std::end(kTensorTypes))
    throw std::logic_error("gguf_type_number: no number for a type");
  return found->number;
}

std::vector<GgufTensor> assign_gguf_data(const std::vector<GgufTensorInfo>& infos,
                                         std::span<const std::byte> data, std::size_t start,
                                         std::uint64_t alignment, const std::string& file) {
  std::vector<GgufTensor> tensors;
  for (const GgufTensorInfo& info : infos) {
    if (info.offset % alignment != 0) {
      throw InputError(fmt::format(
          "{}: the data of tensor '{}' is at offset {}, not a multiple of the alignment {}", file,
          info.tensor.name, info.offset, alignment));
    }
    if (info.offset > data.size() || info.size > data.size() - info.offset) {
      throw InputError(
          fmt::format("{}: the data of tensor '{}' is {} bytes at offset {} of the data, which "
                      "begins at byte {} of {}: the file is damaged or was not copied to its end",
                      file, info.tensor.name, info.size, info.offset, start, start + data.size()));
    }
    tensors.push_back(info.tensor);
    tensors.back().bytes =
        data.subspan(static_cast<std::size_t>(info.offset), static_cast<std::size_t>(info.size));
  }
  refuse_shared_data(tensors, file);
  return tensors;
}

}  // namespace outrider::model
