#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "runtime/model/byte_reader.h"

namespace outrider::model {

/// The types of metadata values, with their numbers in files.
enum class GgufType : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64,
};

/// An array as stored in the file: packed numbers, or strings each after its 64-bit length.
struct GgufArray {
  GgufType element;
  std::uint64_t count;
  std::span<const std::byte> bytes;
};

/// A metadata value, integers and floats widened. Strings and arrays point into the file.
using GgufValue =
    std::variant<bool, std::uint64_t, std::int64_t, double, std::string_view, GgufArray>;

/// Reads a type and a value of it.
/// @param what  the name of the value, for messages
/// @throws InputError if it is cut off, of an unknown type, or an array of arrays
GgufValue read_gguf_value(ByteReader& reader, const std::string& what);

/// Reads the name of a key or a tensor: UTF-8, not empty.
std::string_view read_gguf_name(ByteReader& reader, const char* what);

}  // namespace outrider::model
