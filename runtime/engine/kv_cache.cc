#include "runtime/engine/kv_cache.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace outrider::engine {
namespace {

int padded_slots(int capacity) { return (capacity + 15) / 16 * 16; }

std::size_t element_bytes(KvType type) { return type == KvType::kF32 ? 4 : 2; }

// A cache for one answer is soon full, and is read faster from huge pages; one for a long
// context must cost nothing until it is used.
constexpr std::int64_t kMostInHugePages = std::int64_t{32} << 20;

}  // namespace

std::int64_t KvCache::bytes(const model::ModelConfig& config, int capacity, KvType type) {
  return std::int64_t{2} * config.layers * config.kv_heads * config.head_width *
         padded_slots(capacity) * static_cast<std::int64_t>(element_bytes(type));
}

KvCache::KvCache(const model::ModelConfig& config, int capacity, KvType type)
    : type_(type),
      layers_(config.layers),
      kv_heads_(config.kv_heads),
      head_width_(config.head_width),
      capacity_(capacity),
      head_size_(static_cast<std::size_t>(padded_slots(capacity)) *
                 static_cast<std::size_t>(config.head_width)),
      storage_(
          static_cast<std::size_t>(bytes(config, capacity, type)),
          bytes(config, capacity, type) <= kMostInHugePages ? Pages::kHuge : Pages::kOrdinary) {}

void KvCache::check_room(int rows) const {
  if (length_ + rows > capacity_)
    throw std::logic_error(fmt::format(
        "KvCache::commit: {} rows on top of {} exceed the capacity {}", rows, length_, capacity_));
}

void KvCache::commit(std::span<const int> rows) {
  check_room(static_cast<int>(rows.size()));
  const int first = length_;
  int previous = -1;
  for (const int row : rows) {
    if (row <= previous) throw std::logic_error("KvCache::commit: rows must ascend");
    previous = row;
    if (first + row != length_) {
      if (type_ == KvType::kF32) {
        move_row<float>(first + row, length_);
      } else {
        move_row<Half>(first + row, length_);
      }
    }
    ++length_;
  }
}

void KvCache::commit_first(int rows) {
  check_room(rows);
  length_ += rows;  // they lie right
}

void KvCache::truncate(int length) {
  if (length < 0 || length > length_)
    throw std::logic_error(fmt::format("KvCache::truncate: {} of {} tokens", length, length_));
  length_ = length;
}

std::vector<std::uint8_t> KvCache::key_bytes(int layer, int slot) const {
  const std::size_t block = static_cast<std::size_t>(slot / 16) * 16;
  return bytes_of(
      layer, block * static_cast<std::size_t>(head_width_) + static_cast<std::size_t>(slot % 16),
      16);
}

std::vector<std::uint8_t> KvCache::value_bytes(int layer, int slot) const {
  const std::size_t first = static_cast<std::size_t>(slot) * static_cast<std::size_t>(head_width_);
  return bytes_of(layer, head_size_ + first, 1);
}

/// Of each head as many numbers as it is wide, `stride` apart.
/// @param first  counted from the head's keys
std::vector<std::uint8_t> KvCache::bytes_of(int layer, std::size_t first,
                                            std::size_t stride) const {
  const std::size_t width = element_bytes(type_);
  std::vector<std::uint8_t> bytes;
  for (int head = 0; head < kv_heads_; ++head) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(head_width_); ++d) {
      const std::uint8_t* number =
          storage_.data() + (offset(layer, head) + first + d * stride) * width;
      bytes.insert(bytes.end(), number, number + width);
    }
  }
  return bytes;
}

template <typename T>
void KvCache::move_row(int from, int to) {
  const auto column = [&](T* keys, int slot) {
    return keys + static_cast<std::ptrdiff_t>(slot / 16) * head_width_ * 16 + slot % 16;
  };
  for (int layer = 0; layer < layers_; ++layer) {
    for (int head = 0; head < kv_heads_; ++head) {
      T* k = keys<T>(layer, head);
      const T* source = column(k, from);
      T* target = column(k, to);
      for (int d = 0; d < head_width_; ++d) target[d * 16] = source[d * 16];
      T* v = values<T>(layer, head);
      std::copy_n(v + static_cast<std::ptrdiff_t>(from) * head_width_, head_width_,
                  v + static_cast<std::ptrdiff_t>(to) * head_width_);
    }
  }
}

}  // namespace outrider::engine
