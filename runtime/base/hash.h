#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace outrider {

/// The 128-bit XXH3 hash of a sequence of bytes, to tell contents apart and to find damage; it is no
/// protection against forgery.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void add(std::span<const std::byte> bytes);
  /// The text's length, then the text, so that neighbouring texts do not run together.
  void add_text(std::string_view text);
  /// Eight bytes, the least significant first.
  void add_number(std::uint64_t number);

  /// Of what was added so far: 32 hexadecimal digits.
  std::string hex() const;
  /// The lower 64 bits of the same.
  std::uint64_t low() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Of the bytes alone.
std::string hash_hex(std::span<const std::byte> bytes);

}  // namespace outrider
