#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace outrider::model {

/// Reads the bytes of a little-endian file in order, with bounds checks.
class ByteReader {
 public:
  /// @param file  for messages
  ByteReader(std::span<const std::byte> bytes, std::string file)
      : bytes_(bytes), file_(std::move(file)) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }
  const std::string& file() const { return file_; }

  /// The next `count` bytes. @param what  their name, for messages
  /// @throws InputError if fewer are left
  std::span<const std::byte> take(std::uint64_t count, std::string_view what) {
    if (count > left()) fail_short(count, what);
    const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += taken.size();
    return taken;
  }

  template <typename T>
  T number(std::string_view what) {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  /// A 64-bit length and as many bytes.
  std::string_view text(std::string_view what) {
    const auto chars = take(number<std::uint64_t>(what), what);
    return {reinterpret_cast<const char*>(chars.data()), chars.size()};
  }

 private:
  [[noreturn]] void fail_short(std::uint64_t count, std::string_view what) const;

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  std::string file_;
};

}  // namespace outrider::model
