#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/half.h"
#include "runtime/engine/cpu/aligned_buffer.h"
#include "runtime/model/config.h"

namespace outrider::engine {

enum class KvType : std::uint8_t { kF32, kF16 };

/// Keys and values of one sequence. Slots [0, length) hold committed tokens, slot = position; the
/// rows of a pass are written to the slots behind them, in the order of the pass, and stay there
/// until `commit` keeps some.
///
/// Per layer and KV head, keys lie as [slots / 16, head_width, 16], so that sixteen keys are scored
/// together, and values as [slots, head_width].
class KvCache {
 public:
  /// @param capacity  tokens, rows of a pass in flight included
  KvCache(const model::ModelConfig& config, int capacity, KvType type);

  int capacity() const { return capacity_; }
  KvType type() const { return type_; }
  /// Committed tokens.
  int length() const { return length_; }
  /// What a cache of `capacity` tokens takes.
  static std::int64_t bytes(const model::ModelConfig& config, int capacity, KvType type);

  /// Keeps the rows of the last pass on one path and forgets the others. Rows are counted among
  /// this sequence's rows of that pass and ascend. Nothing is copied for a row that lies right.
  void commit(std::span<const int> rows);
  /// Keeps the first `rows` rows, a chain.
  void commit_first(int rows);
  /// Goes back to the first `length` tokens.
  void truncate(int length);

  /// The keys, and the values, of a layer in a slot, head by head: what must not depend on how they
  /// got there. Layers count from 0 here.
  std::vector<std::uint8_t> key_bytes(int layer, int slot) const;
  std::vector<std::uint8_t> value_bytes(int layer, int slot) const;

  /// T is float or Half, as `type` says.
  template <typename T>
  T* keys(int layer, int head) {
    return reinterpret_cast<T*>(storage_.data()) + offset(layer, head);
  }
  template <typename T>
  T* values(int layer, int head) {
    return keys<T>(layer, head) + head_size_;
  }

 private:
  void check_room(int rows) const;
  std::vector<std::uint8_t> bytes_of(int layer, std::size_t first, std::size_t stride) const;
  std::size_t offset(int layer, int head) const {
    return (static_cast<std::size_t>(layer) * static_cast<std::size_t>(kv_heads_) +
            static_cast<std::size_t>(head)) *
           2 * head_size_;
  }
  template <typename T>
  void move_row(int from, int to);

  KvType type_;
  int layers_;
  int kv_heads_;
  int head_width_;
  int capacity_;
  std::size_t head_size_;  // numbers in one head's keys, or values
  AlignedBuffer<std::uint8_t> storage_;
  int length_ = 0;
};

}  // namespace outrider::engine
