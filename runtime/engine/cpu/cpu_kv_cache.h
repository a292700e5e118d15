#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/aligned_buffer.h"
#include "runtime/engine/cpu/kv_layout.h"
#include "runtime/engine/kv_cache.h"
#include "runtime/engine/numerics.h"
#include "runtime/model/config.h"

namespace outrider::engine::cpu {

/// Keys and values in memory: per layer and KV head its keys, then its values, as in KvLayout.
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

  /// Layers count from 0 here; Kv is the type that visit_kv gives for `type`.
  template <typename Kv>
  Kv* keys(int layer, int head) {
    return reinterpret_cast<Kv*>(storage_.data() + offset(layer, head));
  }
  template <typename Kv>
  Kv* values(int layer, int head) {
    return reinterpret_cast<Kv*>(storage_.data() + offset(layer, head) + head_bytes_);
  }
  template <typename Kv>
  const Kv* keys(int layer, int head) const {
    return reinterpret_cast<const Kv*>(storage_.data() + offset(layer, head));
  }
  template <typename Kv>
  const Kv* values(int layer, int head) const {
    return reinterpret_cast<const Kv*>(storage_.data() + offset(layer, head) + head_bytes_);
  }

 private:
  void move_slots(std::span<const int> slots, int to) override;
  void copy_slots(const KvCache& from, int tokens) override;
  template <typename Kv>
  void move_all(std::span<const int> slots, int to);
  template <typename Kv>
  void copy_all(const CpuKvCache& from, int tokens);
  std::size_t offset(int layer, int head) const {
    return (static_cast<std::size_t>(layer) * static_cast<std::size_t>(kv_heads_) +
            static_cast<std::size_t>(head)) *
           2 * head_bytes_;
  }

  KvType type_;
  int layers_;
  int kv_heads_;
  int head_width_;
  std::size_t head_bytes_;  // of one head's keys, or values
  AlignedBuffer<std::uint8_t> storage_;
};

}  // namespace outrider::engine::cpu
