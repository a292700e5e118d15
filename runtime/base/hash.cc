#include "runtime/base/hash.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <array>
#include <new>

namespace outrider {

struct Hasher::State {
  XXH3_state_t* xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  state_->xxh = XXH3_createState();
  if (state_->xxh == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_->xxh);
}

Hasher::~Hasher() { XXH3_freeState(state_->xxh); }

void Hasher::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

void Hasher::add_text(std::string_view text) {
  add_number(text.size());
  add(std::as_bytes(std::span(text.data(), text.size())));
}

void Hasher::add_number(std::uint64_t number) {
  std::array<std::byte, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(number >> (8 * i));
  }
  add(bytes);
}

std::string Hasher::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::uint64_t Hasher::low() const { return XXH3_128bits_digest(state_->xxh).low64; }

std::string hash_hex(std::span<const std::byte> bytes) {
  Hasher hasher;
  hasher.add(bytes);
  return hasher.hex();
}

}  // namespace outrider
