#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::test {

/// Builds a GGUF file in memory without any checks: also files that no reader may accept.
class GgufWriter {
 public:
  explicit GgufWriter(std::uint32_t version = 3) : version_(version) {}

  /// Sets a metadata key; an existing one keeps its position in the file.
  void set(std::string_view key, std::uint32_t value);
  void set(std::string_view key, float value);
  void set(std::string_view key, bool value);
  void set(std::string_view key, std::string_view value);
  void set(std::string_view key, const char* value) { set(key, std::string_view(value)); }
  void set(std::string_view key, const std::vector<std::string>& values);
  void set(std::string_view key, const std::vector<std::int32_t>& values);
  void set(std::string_view key, const std::vector<bool>& values);
  void set(std::string_view key, const std::vector<float>& values);
  /// @param type  GGUF's number of the value type
  void set_raw(std::string_view key, std::uint32_t type, std::vector<std::byte> value);
  void erase(std::string_view key);
  /// A second entry of the same key.
  void repeat(std::string_view key);

  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> shape;  // innermost first
    std::uint32_t type = 0;            // GGUF's number
    std::vector<std::byte> data;
    std::int64_t offset_shift = 0;  // added to the correct offset
  };
  void add_tensor(Tensor tensor) { tensors_.push_back(std::move(tensor)); }
  /// The tensor of this name, for changes. @throws std::out_of_range
  Tensor& tensor(std::string_view name);
  void erase_tensor(std::string_view name);

  std::vector<std::byte> bytes() const;
  /// Size in bytes of everything before the first tensor's data.
  std::size_t header_size() const { return header().size(); }

 private:
  struct Entry {
    std::string key;
    std::uint32_t type;
    std::vector<std::byte> value;
  };
  std::vector<std::byte> header() const;

  std::uint32_t version_;
  std::vector<Entry> entries_;
  std::vector<Tensor> tensors_;
};

}  // namespace outrider::test
