#include "runtime/engine/cpu/cpu_kv_cache.h"

#include <algorithm>
#include <stdexcept>

namespace outrider::engine::cpu {
namespace {

int padded_slots(int capacity) { return (capacity + 15) / 16 * 16; }

std::size_t element_bytes(KvType type) { return type == KvType::kF32 ? 4 : 2; }

// A small cache fills up soon and is read faster from huge pages; a cache for a long context must
// use no memory before it is filled.
constexpr std::int64_t kMostInHugePages = std::int64_t{32} << 20;

}  // namespace

std::int64_t CpuKvCache::bytes(const model::ModelConfig& config, int capacity, KvType type) {
  return std::int64_t{2} * config.layers * config.kv_heads * config.head_width *
         padded_slots(capacity) * static_cast<std::int64_t>(element_bytes(type));
}

CpuKvCache::CpuKvCache(const model::ModelConfig& config, int capacity, KvType type)
    : KvCache(capacity),
      type_(type),
      layers_(config.layers),
      kv_heads_(config.kv_heads),
      head_width_(config.head_width),
      head_size_(static_cast<std::size_t>(padded_slots(capacity)) *
                 static_cast<std::size_t>(config.head_width)),
      storage_(
          static_cast<std::size_t>(bytes(config, capacity, type)),
          bytes(config, capacity, type) <= kMostInHugePages ? Pages::kHuge : Pages::kOrdinary) {}

bool CpuKvCache::fits(const model::ModelConfig& config) const {
  return layers_ == config.layers && kv_heads_ == config.kv_heads &&
         head_width_ == config.head_width;
}

std::vector<std::uint8_t> CpuKvCache::key_bytes(int layer, int slot) const {
  const std::size_t block = static_cast<std::size_t>(slot / 16) * 16;
  return bytes_of(
      layer, block * static_cast<std::size_t>(head_width_) + static_cast<std::size_t>(slot % 16),
      16);
}

std::vector<std::uint8_t> CpuKvCache::value_bytes(int layer, int slot) const {
  const std::size_t first = static_cast<std::size_t>(slot) * static_cast<std::size_t>(head_width_);
  return bytes_of(layer, head_size_ + first, 1);
}

/// Copies `head_width` numbers of each head, `stride` apart.
/// @param first  index counted from the head's keys
std::vector<std::uint8_t> CpuKvCache::bytes_of(int layer, std::size_t first,
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

void CpuKvCache::move_slots(std::span<const int> slots, int to) {
  if (type_ == KvType::kF32) {
    move_all<float>(slots, to);
  } else {
    move_all<Half>(slots, to);
  }
}

template <typename T>
void CpuKvCache::move_all(std::span<const int> slots, int to) {
  const auto column = [&](T* keys, int slot) {
    return keys + static_cast<std::ptrdiff_t>(slot / 16) * head_width_ * 16 + slot % 16;
  };
  for (int layer = 0; layer < layers_; ++layer) {
    for (int head = 0; head < kv_heads_; ++head) {
      T* k = keys<T>(layer, head);
      T* v = values<T>(layer, head);
      int target_slot = to;
      for (const int slot : slots) {
        const T* source = column(k, slot);
        T* target = column(k, target_slot);
        for (int d = 0; d < head_width_; ++d) target[d * 16] = source[d * 16];
        std::copy_n(v + static_cast<std::ptrdiff_t>(slot) * head_width_, head_width_,
                    v + static_cast<std::ptrdiff_t>(target_slot) * head_width_);
        ++target_slot;
      }
    }
  }
}

void CpuKvCache::copy_slots(const KvCache& from, int tokens) {
  const auto* other = dynamic_cast<const CpuKvCache*>(&from);
  if (other == nullptr || other->type_ != type_ || other->layers_ != layers_ ||
      other->kv_heads_ != kv_heads_ || other->head_width_ != head_width_)
    throw std::logic_error("KvCache::copy_prefix: the caches are of two kinds");
  if (type_ == KvType::kF32) {
    copy_all<float>(*other, tokens);
  } else {
    copy_all<Half>(*other, tokens);
  }
}

template <typename T>
void CpuKvCache::copy_all(const CpuKvCache& from, int tokens) {
  // Keys are stored in groups of sixteen slots; slots after the last token are overwritten later.
  const std::ptrdiff_t num_keys = std::ptrdiff_t{tokens + 15} / 16 * 16 * head_width_;
  const std::ptrdiff_t num_values = std::ptrdiff_t{tokens} * head_width_;
  for (int layer = 0; layer < layers_; ++layer) {
    for (int head = 0; head < kv_heads_; ++head) {
      std::copy_n(from.keys<T>(layer, head), num_keys, keys<T>(layer, head));
      std::copy_n(from.values<T>(layer, head), num_values, values<T>(layer, head));
    }
  }
}

}  // namespace outrider::engine::cpu
