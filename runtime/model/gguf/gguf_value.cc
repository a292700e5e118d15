#include "runtime/model/gguf/gguf_value.h"

#include <fmt/core.h>

#include <optional>

#include "runtime/base/error.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::model {
namespace {

/// Size in bytes of a value of fixed size; nothing for strings and arrays.
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
        fmt::format("{}: {} is an array of arrays, which is not supported", reader.file(), what));
  }
  if (const auto size = fixed_size(element)) {
    if (count > reader.left() / *size) {
      throw InputError(
          fmt::format("{}: {} claims {} elements of {} bytes, but {} bytes are left: the file is "
                      "damaged or was not copied to its end",
                      reader.file(), what, count, *size, reader.left()));
    }
    return {element, count, reader.take(count * *size, what)};
  }
  if (count > reader.left() / sizeof(std::uint64_t)) {
    throw InputError(
        fmt::format("{}: {} claims {} strings, but {} bytes are left: the file is damaged or was "
                    "not copied to its end",
                    reader.file(), what, count, reader.left()));
  }
  ByteReader strings = reader;  // finds their end
  for (std::uint64_t i = 0; i < count; ++i) strings.text(what);
  return {element, count, reader.take(strings.position() - reader.position(), what)};
}

}  // namespace

GgufValue read_gguf_value(ByteReader& reader, const std::string& what) {
  switch (read_type(reader, what)) {
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

std::string_view read_gguf_name(ByteReader& reader, const char* what) {
  const std::size_t start = reader.position();
  const std::string_view name = reader.text(what);
  if (name.empty() || text::find_invalid_utf8(name)) {
    throw InputError(fmt::format("{}: {} at byte {} is {} (expected UTF-8 text)", reader.file(),
                                 what, start, name.empty() ? "empty" : "not UTF-8"));
  }
  return name;
}

}  // namespace outrider::model
