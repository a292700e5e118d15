#pragma once

#include <cstddef>
#include <type_traits>

#include "runtime/base/half.h"
#include "runtime/engine/numerics.h"

namespace outrider::engine::cpu {

/// The memory of one KV head: values are [slots, row], keys [slots / 16, 16 row], so that sixteen keys
/// are scored together. `Kv` is the type of a number: float, Half, or std::byte for Q8_0.
///
/// As floats and halves a row is [head_width], sixteen keys are [head_width, 16]. As Q8_0, numbers along
/// the head share a half as their scale in blocks of 32, or 16 in the last one of an odd number of
/// sixteens: number = quant * scale, which is exact in a float. A row is [head_width] quants, then
/// [blocks] scales; sixteen keys are [head_width, 16] quants, then [blocks, 16] scales.
template <typename Kv>
struct KvLayout {
  static constexpr bool kInBlocks = std::is_same_v<Kv, std::byte>;

  int head_width;  // a multiple of 16

  int blocks() const { return kInBlocks ? (head_width + 31) / 32 : 0; }
  /// The Kv of a slot's key, or value.
  std::ptrdiff_t row() const {
    return head_width + static_cast<std::ptrdiff_t>(sizeof(Half)) * blocks();
  }
  /// The first of the sixteen keys of block `block`, counted from the first key.
  std::ptrdiff_t sixteen_keys(int block) const { return 16 * row() * block; }

  /// Consecutive Kv, from the first key on.
  struct Run {
    std::ptrdiff_t offset;
    std::ptrdiff_t count;
  };
  /// A slot's key is in this many runs: its numbers, or quants, then its scales.
  int key_runs() const { return head_width + blocks(); }
  Run key_run(int slot, int i) const {
    const std::ptrdiff_t sixteen = sixteen_keys(slot / 16);
    const int lane = slot % 16;
    if (i < head_width) return {sixteen + 16 * i + lane, 1};
    return {sixteen + 16 * head_width + 2 * (16 * (i - head_width) + lane), 2};
  }
};

/// Calls visit(Kv{}) with the type of the numbers.
template <typename Visit>
void visit_kv(KvType type, const Visit& visit) {
  switch (type) {
    case KvType::kF32:
      return visit(float{});
    case KvType::kF16:
      return visit(Half{});
    case KvType::kQ8_0:
      return visit(std::byte{});
  }
}

/// The bytes of a slot's key, or value, of one KV head.
inline std::size_t kv_row_bytes(KvType type, int head_width) {
  std::size_t bytes = 0;
  visit_kv(type, [&](auto kv) {
    bytes = static_cast<std::size_t>(KvLayout<decltype(kv)>{head_width}.row()) * sizeof kv;
  });
  return bytes;
}

}  // namespace outrider::engine::cpu
