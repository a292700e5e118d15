#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/gguf/gguf_file.h"

namespace outrider::model {

/// Typed access to the metadata of a GGUF file. All functions throw an InputError naming file and key
/// if the value has another type or is out of bounds, and return nothing if it is absent.
class GgufMetadata {
 public:
  explicit GgufMetadata(const GgufFile& file) : file_(&file) {}

  const GgufFile& file() const { return *file_; }

  std::optional<std::int64_t> integer(std::string_view key, std::int64_t low,
                                      std::int64_t high) const;
  std::int64_t required_integer(std::string_view key, std::int64_t low, std::int64_t high) const;
  std::optional<double> number(std::string_view key, double low, double high) const;
  std::optional<bool> flag(std::string_view key) const;
  /// UTF-8.
  std::optional<std::string> text(std::string_view key) const;
  std::string required_text(std::string_view key) const;
  std::optional<std::vector<std::string_view>> texts(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
  std::optional<std::vector<bool>> flags(std::string_view key) const;
  /// 32-bit floats.
  std::optional<std::vector<float>> floats(std::string_view key) const;

  [[noreturn]] void fail_absent(std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, std::string_view found,
                         std::string_view expected) const;

 private:
  const GgufFile* file_;
};

}  // namespace outrider::model
