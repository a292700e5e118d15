#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/engine/pass.h"
#include "runtime/engine/pass_layout.h"

namespace outrider::engine::cpu {

/// Query heads that one thread computes together, because they read the same keys: they share a KV
/// head and their rows a sequence.
struct AttentionTile {
  int first_row;
  int kv_head;
  /// Query heads of `kv_head` that are skipped, and that are computed, counted row by row from
  /// first_row on.
  int skipped;
  int count;
};

/// The tiles of attention of a pass, divided among threads by the number of keys that are read. Keys
/// are never divided. Reused for one pass after another, it allocates for larger ones only.
class AttentionTiles {
 public:
  /// @param first_row  rows before it are left out
  /// @param group      query heads of each KV head
  void divide(const Pass& pass, const PassLayout& layout, int first_row, int kv_heads, int group,
              int threads);

  std::span<const AttentionTile> of(int thread) const {
    const std::size_t begin = thread == 0 ? 0 : ends_[static_cast<std::size_t>(thread) - 1];
    return {tiles_.data() + begin, ends_[static_cast<std::size_t>(thread)] - begin};
  }

 private:
  std::vector<AttentionTile> tiles_;  // thread by thread
  std::vector<std::size_t> ends_;     // [threads]
};

}  // namespace outrider::engine::cpu
