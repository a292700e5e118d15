#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace outrider {

/// The 128-bit XXH3 hash of a sequence of bytes, for identity and for detecting damage; not
/// cryptographic.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void add(std::span<const std::byte> bytes);
  /// Adds the text's length, then the text, so that consecutive texts are kept apart.
  void add_text(std::string_view text);
  /// Adds eight bytes, least significant first.
  void add_number(std::uint64_t number);

  /// The hash of everything added so far: 32 hexadecimal digits.
  std::string hex() const;
  /// Its lower 64 bits.
  std::uint64_t low() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The hash of these bytes.
std::string hash_hex(std::span<const std::byte> bytes);

}  // namespace outrider
