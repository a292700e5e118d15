#include "runtime/model/gguf_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/model/byte_reader.h"
#include "runtime/model/valid_utf8.h"

namespace outrider::model {
namespace {

// The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kMaxAlignment = 1 << 20;
constexpr std::uint64_t kMaxEntries = 1 << 20;  // keys, and tensors; real files have thousands
constexpr std::uint32_t kMaxDimensions = 4;

struct TensorType {
  std::uint32_t number;  // in the file
  WeightType type;
};
constexpr TensorType kTensorTypes[] = {
    {0, WeightType::kF32},  {1, WeightType::kF16},  {2, WeightType::kQ4_0},
    {3, WeightType::kQ4_1}, {8, WeightType::kQ8_0}, {30, WeightType::kBF16},
};

struct ForeignType {
  std::uint32_t number;
  const char* name;
};
/// Types that we know by name only, to refuse them by it.
constexpr ForeignType kForeignTypes[] = {
    {6, "Q5_0"},   {7, "Q5_1"},    {9, "Q8_1"},   {10, "Q2_K"},    {11, "Q3_K"},   {12, "Q4_K"},
    {13, "Q5_K"},  {14, "Q6_K"},   {15, "Q8_K"},  {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"},
    {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"}, {22, "IQ2_S"},   {23, "IQ4_XS"}, {24, "I8"},
    {25, "I16"},   {26, "I32"},    {27, "I64"},   {28, "F64"},     {29, "IQ1_M"},  {34, "TQ1_0"},
    {35, "TQ2_0"}, {39, "MXFP4"},  {40, "NVFP4"}, {41, "Q1_0"},
};

/// The bytes a value of a fixed size takes; nothing for strings and arrays.
std::optional<std::uint64_t> fixed_size(GgufType type) {
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool:
      return 1;
    case GgufType::kU16:
    case GgufType::kI16:
      return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32:
      return 4;
    case GgufType::kU64:
    case GgufType::kI64:
    case GgufType::kF64:
      return 8;
    case GgufType::kString:
    case GgufType::kArray:
      break;
  }
  return std::nullopt;
}

GgufType read_type(ByteReader& reader, std::string_view what) {
  const auto number = reader.number<std::uint32_t>(what);
  if (number > static_cast<std::uint32_t>(GgufType::kF64)) {
    throw InputError(fmt::format("{}: {} has the unknown type number {} (expected 0 to 12)",
                                 reader.file(), what, number));
  }
  return static_cast<GgufType>(number);
}

GgufArray read_array(ByteReader& reader, const std::string& what) {
  const GgufType element = read_type(reader, what);
  const auto count = reader.number<std::uint64_t>(what);
  if (element == GgufType::kArray) {
    throw InputError(
        fmt::format("{}: {} is an array of arrays, which no model needs", reader.file(), what));
  }
  if (const auto size = fixed_size(element)) {
    if (count > reader.left() / *size) {
      throw InputError(fmt::format("{}: {} claims {} elements of {} bytes, but {} bytes are left",
                                   reader.file(), what, count, *size, reader.left()));
    }
    return {element, count, reader.take(count * *size, what)};
  }
  if (count > reader.left() / sizeof(std::uint64_t)) {
    throw InputError(fmt::format("{}: {} claims {} strings, but {} bytes are left", reader.file(),
                                 what, count, reader.left()));
  }
  ByteReader strings = reader;  // walks ahead to find where they end
  for (std::uint64_t i = 0; i < count; ++i) strings.text(what);
  return {element, count, reader.take(strings.position() - reader.position(), what)};
}

GgufValue read_value(ByteReader& reader, GgufType type, const std::string& what) {
  switch (type) {
    case GgufType::kU8:
      return std::uint64_t{reader.number<std::uint8_t>(what)};
    case GgufType::kI8:
      return std::int64_t{reader.number<std::int8_t>(what)};
    case GgufType::kU16:
      return std::uint64_t{reader.number<std::uint16_t>(what)};
    case GgufType::kI16:
      return std::int64_t{reader.number<std::int16_t>(what)};
    case GgufType::kU32:
      return std::uint64_t{reader.number<std::uint32_t>(what)};
    case GgufType::kI32:
      return std::int64_t{reader.number<std::int32_t>(what)};
    case GgufType::kU64:
      return reader.number<std::uint64_t>(what);
    case GgufType::kI64:
      return reader.number<std::int64_t>(what);
    case GgufType::kF32:
      return double{reader.number<float>(what)};
    case GgufType::kF64:
      return reader.number<double>(what);
    case GgufType::kString:
      return reader.text(what);
    case GgufType::kArray:
      return read_array(reader, what);
    case GgufType::kBool:
      break;
  }
  const auto flag = reader.number<std::uint8_t>(what);
  if (flag > 1) {
    throw InputError(fmt::format("{}: {} is a bool with the value {} (expected 0 or 1)",
                                 reader.file(), what, flag));
  }
  return flag == 1;
}

std::string_view read_name(ByteReader& reader, const char* what) {
  const std::size_t start = reader.position();
  const std::string_view name = reader.text(what);
  if (name.empty() || !valid_utf8(name)) {
    throw InputError(fmt::format("{}: {} at byte {} is {} (expected UTF-8 text)", reader.file(),
                                 what, start, name.empty() ? "empty" : "not UTF-8"));
  }
  return name;
}

/// How many of something there are, bounded by the bytes left, at least `smallest` each.
std::uint64_t read_count(ByteReader& reader, const char* what, std::uint64_t smallest) {
  const auto count = reader.number<std::uint64_t>(what);
  if (count > kMaxEntries || count > reader.left() / smallest) {
    throw InputError(fmt::format("{}: {} is {}, more than a file of this size can hold ({} bytes)",
                                 reader.file(), what, count, reader.left()));
  }
  return count;
}

WeightType tensor_type(std::uint32_t number, std::string_view tensor, const std::string& file) {
  for (const TensorType& known : kTensorTypes) {
    if (known.number == number) return known.type;
  }
  std::string found = fmt::format("the unknown type number {}", number);
  for (const ForeignType& foreign : kForeignTypes) {
    if (foreign.number == number) found = fmt::format("type {}", foreign.name);
  }
  throw InputError(fmt::format(
      "{}: tensor '{}' has {}, which is not supported (expected F32, F16, BF16, Q4_0, Q4_1 or "
      "Q8_0)",
      file, tensor, found));
}

/// A tensor's description; its bytes are found later, when it is known where the data begins.
struct TensorInfo {
  GgufTensor tensor;
  std::uint64_t offset;  // into the data
  std::uint64_t size;    // in bytes
};

TensorInfo read_tensor_info(ByteReader& reader) {
  TensorInfo info = {};
  GgufTensor& tensor = info.tensor;
  tensor.name = read_name(reader, "a tensor's name");
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

/// Gives every tensor its bytes of `data`, which begins at byte `start` of the file.
void place_tensors(std::vector<TensorInfo>& infos, std::span<const std::byte> data,
                   std::size_t start, std::uint64_t alignment, const std::string& file) {
  std::vector<const TensorInfo*> in_order;
  for (TensorInfo& info : infos) {
    if (info.offset % alignment != 0) {
      throw InputError(
          fmt::format("{}: the data of tensor '{}' is at offset {}, not a multiple of "
                      "the alignment {}",
                      file, info.tensor.name, info.offset, alignment));
    }
    if (info.offset > data.size() || info.size > data.size() - info.offset) {
      throw InputError(
          fmt::format("{}: the data of tensor '{}' is {} bytes at {}, but the file has {}: it is "
                      "damaged or was "
                      "not copied to its end",
                      file, info.tensor.name, info.size, start + info.offset, start + data.size()));
    }
    info.tensor.bytes =
        data.subspan(static_cast<std::size_t>(info.offset), static_cast<std::size_t>(info.size));
    in_order.push_back(&info);
  }
  std::sort(in_order.begin(), in_order.end(),
            [](const TensorInfo* a, const TensorInfo* b) { return a->offset < b->offset; });
  for (std::size_t i = 1; i < in_order.size(); ++i) {
    const TensorInfo& before = *in_order[i - 1];
    if (before.offset + before.size > in_order[i]->offset) {
      throw InputError(fmt::format("{}: the data of tensors '{}' and '{}' overlap", file,
                                   before.tensor.name, in_order[i]->tensor.name));
    }
  }
}

std::uint64_t checked_alignment(const GgufFile& file) {
  const GgufValue* value = file.find("general.alignment");
  if (value == nullptr) return kDefaultAlignment;
  const auto* alignment = std::get_if<std::uint64_t>(value);
  if (alignment == nullptr || !std::has_single_bit(*alignment) || *alignment < 8 ||
      *alignment > kMaxAlignment) {
    throw InputError(fmt::format(
        "{}: general.alignment is {} (expected a power of two from 8 to {})", file.name(),
        alignment ? std::to_string(*alignment) : "no number", kMaxAlignment));
  }
  return *alignment;
}

std::uint32_t read_header(ByteReader& reader) {
  const std::string& file = reader.file();
  if (reader.left() < 4 || reader.number<std::uint32_t>("the magic") != kMagic) {
    throw InputError(fmt::format("{}: is not a GGUF file (it does not begin with \"GGUF\")", file));
  }
  const auto version = reader.number<std::uint32_t>("the format version");
  if (version != 2 && version != 3) {
    const bool swapped = version != 0 && (version & 0xFFFF) == 0;
    throw InputError(
        fmt::format("{}: is GGUF {} (expected version 2 or 3, little-endian)", file,
                    swapped ? "in big-endian byte order" : fmt::format("version {}", version)));
  }
  return version;
}

}  // namespace

GgufFile GgufFile::parse(std::span<const std::byte> bytes, const std::string& name) {
  GgufFile file;
  file.name_ = name;
  ByteReader reader(bytes, name);
  file.version_ = read_header(reader);
  // The smallest tensor description: a name of one byte, one dimension. The smallest key: one byte
  // and a bool.
  const auto tensor_count = read_count(reader, "the number of tensors", 8 + 1 + 4 + 8 + 4 + 8);
  const auto key_count = read_count(reader, "the number of metadata keys", 8 + 1 + 4 + 1);

  for (std::uint64_t i = 0; i < key_count; ++i) {
    std::string key(read_name(reader, "a metadata key"));
    const std::string what = fmt::format("metadata key '{}'", key);
    const GgufType type = read_type(reader, what);
    GgufValue value = read_value(reader, type, what);
    if (!file.index_.emplace(key, file.metadata_.size()).second) {
      throw InputError(fmt::format("{}: {} stands twice in the file", name, what));
    }
    file.metadata_.emplace_back(std::move(key), value);
  }

  std::vector<TensorInfo> infos;
  std::map<std::string_view, std::size_t> seen;
  for (std::uint64_t i = 0; i < tensor_count; ++i) {
    infos.push_back(read_tensor_info(reader));
    const std::string_view tensor = infos.back().tensor.name;
    if (!seen.emplace(tensor, i).second) {
      throw InputError(fmt::format("{}: tensor '{}' stands twice in the file", name, tensor));
    }
  }

  const std::uint64_t alignment = checked_alignment(file);
  const std::uint64_t padding = (alignment - reader.position() % alignment) % alignment;
  if (!infos.empty()) reader.take(padding, "the padding before the tensors");
  place_tensors(infos, bytes.subspan(reader.position()), reader.position(), alignment, name);
  for (const TensorInfo& info : infos) file.tensors_.push_back(info.tensor);
  return file;
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &metadata_[found->second].second;
}

}  // namespace outrider::model
