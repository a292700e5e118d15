#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/aligned_buffer.h"
#include "runtime/base/half.h"
#include "runtime/engine/kv_cache.h"
#include "runtime/engine/numerics.h"
#include "runtime/model/config.h"

namespace outrider::engine::cpu {

/// Keys and values in memory. Per layer and KV head, keys are stored as [slots / 16, head_width,
/// 16], so that sixteen keys are scored together, and values as [slots, head_width].
class CpuKvCache final : public KvCache {
 public:
  CpuKvCache(const model::ModelConfig& config, int capacity, KvType type);

  KvType type() const { return type_; }
  /// Whether the cache was made for models of this shape.
  bool fits(const model::ModelConfig& config) const;
  /// The bytes of a cache of `capacity` tokens.
  static std::int64_t bytes(const model::ModelConfig& config, int capacity, KvType type);

  std::vector<std::uint8_t> key_bytes(int layer, int slot) const override;
  std::vector<std::uint8_t> value_bytes(int layer, int slot) const override;

  /// Layers count from 0 here; T is float or Half, according to `type`.
  template <typename T>
  T* keys(int layer, int head) {
    return reinterpret_cast<T*>(storage_.data()) + offset(layer, head);
  }
  template <typename T>
  T* values(int layer, int head) {
    return keys<T>(layer, head) + head_size_;
  }
  template <typename T>
  const T* keys(int layer, int head) const {
    return reinterpret_cast<const T*>(storage_.data()) + offset(layer, head);
  }
  template <typename T>
  const T* values(int layer, int head) const {
    return keys<T>(layer, head) + head_size_;
  }

 private:
  void move_slots(std::span<const int> slots, int to) override;
  void copy_slots(const KvCache& from, int tokens) override;
  template <typename T>
  void move_all(std::span<const int> slots, int to);
  template <typename T>
  void copy_all(const CpuKvCache& from, int tokens);
  std::vector<std::uint8_t> bytes_of(int layer, std::size_t first, std::size_t stride) const;
  std::size_t offset(int layer, int head) const {
    return (static_cast<std::size_t>(layer) * static_cast<std::size_t>(kv_heads_) +
            static_cast<std::size_t>(head)) *
           2 * head_size_;
  }

  KvType type_;
  int layers_;
  int kv_heads_;
  int head_width_;
  std::size_t head_size_;  // numbers in one head's keys, or values
  AlignedBuffer<std::uint8_t> storage_;
};

}  // namespace outrider::engine::cpu
