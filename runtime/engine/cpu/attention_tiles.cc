#include "runtime/engine/cpu/attention_tiles.h"

#include <algorithm>
#include <cstdint>

#include "runtime/engine/cpu/attention.h"

namespace outrider::engine::cpu {

void AttentionTiles::divide(const Pass& pass, const PassLayout& layout, int first_row, int kv_heads,
                            int group, int threads) {
  constexpr int kMost = Attention<float>::kMostQueries;
  const int most = group < kMost ? kMost / group * group : kMost;  // whole rows where they fit
  const int rows = static_cast<int>(pass.rows.size());
  const auto keys = [&](int row) {
    return std::int64_t{layout[static_cast<std::size_t>(row)].position} + 1;
  };
  std::int64_t total = 0;
  for (int row = first_row; row < rows; ++row) total += keys(row) * kv_heads * group;
  tiles_.clear();
  // As many as any division of these rows has, so that longer texts need no more.
  const int tiles_of_row = kv_heads * ((group + most - 1) / most);
  tiles_.reserve(static_cast<std::size_t>(tiles_of_row * (rows - first_row) + threads));
  ends_.assign(static_cast<std::size_t>(threads), 0);
  std::int64_t before = 0;  // keys read by the queries before this one
  int end = 0;
  for (int begin = first_row; begin < rows; begin = end) {
    const int sequence = pass.rows[static_cast<std::size_t>(begin)].sequence;
    for (end = begin; end < rows; ++end)
      if (pass.rows[static_cast<std::size_t>(end)].sequence != sequence) break;
    int last_thread = 0;
    for (int kv_head = 0; kv_head < kv_heads; ++kv_head) {
      for (int query = 0; query < (end - begin) * group; ++query) {
        // A query belongs to the thread whose share of all keys holds the middle of its own.
        const std::int64_t read = keys(begin + query / group);
        const int thread = static_cast<int>((2 * before + read) * threads / (2 * total));
        before += read;
        if (query == 0 || thread != last_thread || tiles_.back().count == most)
          tiles_.push_back({begin, kv_head, query, 0});
        ++tiles_.back().count;
        last_thread = thread;
        ends_[static_cast<std::size_t>(thread)] = tiles_.size();
      }
    }
  }
  // A thread without queries ends where the one before it does.
  for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] = std::max(ends_[i], ends_[i - 1]);
}

}  // namespace outrider::engine::cpu
