#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/model/weight.h"

namespace outrider::model {

/// The types of metadata values, with the numbers that stand in the file.
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

/// An array as it lies in the file: numbers packed, each string behind its length of 64 bits.
struct GgufArray {
  GgufType element;
  std::uint64_t count;
  std::span<const std::byte> bytes;
};

/// A metadata value, integers and floats widened. Strings and arrays point into the file.
using GgufValue =
    std::variant<bool, std::uint64_t, std::int64_t, double, std::string_view, GgufArray>;

/// One tensor: numbers of its innermost dimension lie next to each other.
struct GgufTensor {
  std::string_view name;
  WeightType type;
  int dimensions;                     // 1 to 4
  std::array<std::int64_t, 4> shape;  // innermost first; 1 beyond `dimensions`
  std::span<const std::byte> bytes;
};

/// The container: what a GGUF file (version 2 or 3) holds, before it means anything. Nothing is
/// copied but names and numbers; all views point into the bytes parsed.
class GgufFile {
 public:
  /// Checks everything that can be checked without knowing the model: lengths against the bytes
  /// left, before anything is allocated; doubled names; types; that the data of every tensor is
  /// aligned, inside the file and its own.
  /// @param name  of the file, for messages
  /// @throws InputError saying where, what was expected and what was found
  static GgufFile parse(std::span<const std::byte> bytes, const std::string& name);

  const std::string& name() const { return name_; }
  std::uint32_t version() const { return version_; }
  const std::vector<std::pair<std::string, GgufValue>>& metadata() const { return metadata_; }
  /// nullptr when there is no such key.
  const GgufValue* find(std::string_view key) const;
  const std::vector<GgufTensor>& tensors() const { return tensors_; }

 private:
  std::string name_;
  std::uint32_t version_ = 0;
  std::vector<std::pair<std::string, GgufValue>> metadata_;
  std::map<std::string, std::size_t, std::less<>> index_;  // of `metadata_`
  std::vector<GgufTensor> tensors_;
};

}  // namespace outrider::model
