// Which rows of a pass share what attention reads on a GPU.

#include "runtime/engine/cuda/row_tiles.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "runtime/engine/kv_cache.h"

namespace outrider::engine::cuda {
namespace {

class EmptyCache : public KvCache {
 public:
  EmptyCache() : KvCache(1000) {}
  std::vector<std::uint8_t> key_bytes(int, int) const override { return {}; }
  std::vector<std::uint8_t> value_bytes(int, int) const override { return {}; }

 private:
  void move_slots(std::span<const int>, int) override {}
  void copy_slots(const KvCache&, int) override {}
};

constexpr HeadShape kShape{.heads = 8, .kv_heads = 2, .head_width = 64, .kv = KvType::kF16};

class RowTilesOfPasses : public testing::Test {
 protected:
  /// A chain of rows after the last row of its sequence.
  void add_chain(int sequence, int rows) {
    pass_.add_chain(sequence, std::vector<Token>(static_cast<std::size_t>(rows), 0), false);
  }
  /// The first row and the number of rows of each tile.
  std::vector<std::pair<int, int>> found(const HeadShape& shape = kShape) {
    layout_.assign(pass_, 1, 1000);
    tiles_.find(pass_, layout_, shape);
    std::vector<std::pair<int, int>> all;
    for (const RowTile& tile : tiles_.all()) all.emplace_back(tile.first_row, tile.rows);
    return all;
  }

  EmptyCache caches_[80];
  Pass pass_ = [this] {
    Pass pass;
    for (EmptyCache& cache : caches_) pass.sequences.push_back(&cache);
    return pass;
  }();
  PassLayout layout_;
  RowTiles tiles_;
};

using Tiles = std::vector<std::pair<int, int>>;

/// The second text goes on at the position at which the first one's rows end.
TEST_F(RowTilesOfPasses, HaveRowsOfOneTextUpToTheMostQueries) {
  caches_[1].begin_pass();
  for (int row = 0; row < 21; ++row) caches_[1].add_row(row == 0 ? KvCache::kCommitted : row - 1);
  caches_[1].commit_first(21);
  add_chain(0, 21);
  add_chain(1, 49);
  EXPECT_EQ(
      found(),
      (Tiles{
          {0, 8}, {8, 8}, {16, 5}, {21, 8}, {29, 8}, {37, 8}, {45, 8}, {53, 8}, {61, 8}, {69, 1}}));
}

TEST_F(RowTilesOfPasses, AreNoneForPassesThatAreRecorded) {
  add_chain(0, PassGraphs::kMostRows);
  EXPECT_EQ(found(), Tiles{});
  add_chain(1, 1);
  EXPECT_EQ(found().size(), 9u);
}

TEST_F(RowTilesOfPasses, AreNoneWhereMostRowsFollowNoOther) {
  for (int sequence = 0; sequence < 80; ++sequence) add_chain(sequence, 1);
  EXPECT_EQ(found(), Tiles{});
}

TEST_F(RowTilesOfPasses, AreNoneForTrees) {
  add_chain(0, 80);
  EXPECT_EQ(found().size(), 10u);
  pass_.rows.push_back({.token = 0, .sequence = 0, .parent = 40});
  EXPECT_EQ(found(), Tiles{}) << "a row whose slot is not its position";
}

TEST_F(RowTilesOfPasses, AreNoneForShapesWithoutRoom) {
  add_chain(0, 80);
  HeadShape wide = kShape;
  wide.head_width = kMostTiledWidth + 1;
  EXPECT_EQ(found(wide), Tiles{});
  HeadShape one_group = kShape;
  one_group.heads = 64;
  EXPECT_EQ(found(one_group), Tiles{}) << "a tile would have one row";
}

}  // namespace
}  // namespace outrider::engine::cuda
