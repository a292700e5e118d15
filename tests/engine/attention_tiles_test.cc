#include "runtime/engine/cpu/attention_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/engine/cpu/attention.h"
#include "runtime/engine/cpu/cpu_kv_cache.h"

namespace outrider::engine::cpu {
namespace {

constexpr int kKvHeads = 3;

model::ModelConfig small_config() {
  model::ModelConfig config;
  config.layers = 1;
  config.kv_heads = kKvHeads;
  config.head_width = 16;
  return config;
}

/// Rows of two sequences: `rows` of the first, two of the second, one more of the first.
class DividedPass {
 public:
  explicit DividedPass(int rows)
      : first_(small_config(), 600, KvType::kF32), second_(small_config(), 16, KvType::kF32) {
    pass_.sequences = {&first_, &second_};
    pass_.add_chain(0, std::vector<Token>(static_cast<std::size_t>(rows)), false);
    pass_.add_chain(1, std::vector<Token>(2), false);
    pass_.rows.push_back({0, 0, rows - 1, false});
    layout_.assign(pass_, 1, 10000);
  }

  /// The number of keys that each thread reads; checks that every query is computed once.
  std::vector<std::int64_t> read_by_threads(int group, int threads, int first_row = 0) {
    tiles_.divide(pass_, layout_, first_row, kKvHeads, group, threads);
    std::map<std::pair<int, int>, int> computed;  // times, by row and head
    std::vector<std::int64_t> read(static_cast<std::size_t>(threads));
    for (int thread = 0; thread < threads; ++thread) {
      for (const AttentionTile& tile : tiles_.of(thread)) {
        EXPECT_LE(tile.count, Attention<float>::kMostQueries);
        for (int i = tile.skipped; i < tile.skipped + tile.count; ++i) {
          const int row = tile.first_row + i / group;
          EXPECT_EQ(pass_.rows.at(static_cast<std::size_t>(row)).sequence,
                    pass_.rows[static_cast<std::size_t>(tile.first_row)].sequence);
          ++computed[{row, tile.kv_head * group + i % group}];
          read[static_cast<std::size_t>(thread)] +=
              layout_[static_cast<std::size_t>(row)].position + 1;
        }
      }
    }
    const std::size_t rows = pass_.rows.size() - static_cast<std::size_t>(first_row);
    EXPECT_EQ(computed.size(), rows * static_cast<std::size_t>(kKvHeads * group));
    for (const auto& [query, times] : computed) {
      EXPECT_EQ(times, 1);
      EXPECT_GE(query.first, first_row);
    }
    return read;
  }

 private:
  CpuKvCache first_, second_;
  Pass pass_;
  PassLayout layout_;
  AttentionTiles tiles_;
};

TEST(AttentionTiles, ComputeEveryQueryOnce) {
  for (const int rows : {1, 4, 7, 64})
    for (const int group : {1, 3, 4, 15})
      for (const int threads : {1, 2, 5, 100}) DividedPass(rows).read_by_threads(group, threads);
}

TEST(AttentionTiles, LeaveOutTheFirstRows) {
  for (const int first_row : {1, 6, 7, 9, 10})  // of ten rows
    for (const int threads : {1, 2, 5}) DividedPass(7).read_by_threads(3, threads, first_row);
}

TEST(AttentionTiles, GiveThreadsEqualNumbersOfKeys) {
  for (const int threads : {2, 3, 4}) {
    const std::vector<std::int64_t> read = DividedPass(500).read_by_threads(3, threads);
    const auto [least, most] = std::minmax_element(read.begin(), read.end());
    EXPECT_LE(*most - *least, 2 * 501) << threads << " threads";  // a query at either end
  }
}

}  // namespace
}  // namespace outrider::engine::cpu
