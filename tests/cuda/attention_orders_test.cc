#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/cuda/kernel_bench.h"

namespace outrider::engine::cuda::emulated {
namespace {

// Attention and the moves of keys and values, as kernel_orders_test.cc runs the other kernels.

/// Bytes of a key or a value.
int row_bytes(const HeadShape& shape) {
  const int width = shape.head_width;
  return shape.kv == KvType::kF32   ? 4 * width
         : shape.kv == KvType::kF16 ? 2 * width
                                    : width + width / 16;
}

/// Attention of kRows rows twice over, and what it found.
void attend_twice(Bench& bench, AttentionArgs& args) {
  const auto heads = static_cast<std::size_t>(kRows * args.shape.heads);
  const auto splits = heads * static_cast<std::size_t>(args.max_splits);
  args.rows = kRows;
  args.layer = 1;
  args.scores = bench.room<float>(splits * kSplit);
  args.maxima = bench.room<float>(splits * 2);
  args.partial = bench.room<float>(splits * static_cast<std::size_t>(args.shape.head_width));
  args.totals = bench.room<float>(splits);
  args.finished = bench.room<unsigned>(static_cast<std::size_t>(kRows * args.shape.kv_heads));
  args.out = bench.operand(kRows, args.shape.heads * args.shape.head_width);
  args.softmax = bench.room<Softmax>(heads);
  args.best = bench.room<int>(heads);
  args.best_stride = args.shape.heads;
  for (int turn = 0; turn < 2; ++turn) bench.kernels().attend(args);
  bench.keep(args.out, kRows, args.shape.heads * args.shape.head_width);
  bench.keep(args.softmax, heads);
  bench.keep(args.best, heads);
}

/// Rows of a text in two tiles, from `past` on.
void attend_in_tiles(Bench& bench, KvType kind, int past) {
  const HeadShape shape{4, 2, 64, kind};
  const auto head_bytes = static_cast<std::size_t>(640 * row_bytes(shape));
  std::uint8_t* cache =
      bench.put(small_numbers(head_bytes * static_cast<std::size_t>(2 * shape.kv_heads * 2), 1));
  std::vector<PassRow> rows;
  for (int r = 0; r < kRows; ++r)
    rows.push_back({cache, head_bytes, past + r, past + r, past + r + 1, 0});
  AttentionArgs args{};
  args.qkv = bench.put(floats(static_cast<std::size_t>(kRows * 8 * shape.head_width), 2));
  args.pass_rows = bench.put(rows);
  args.max_splits = (past + kRows - 1) / kSplit + 1;
  args.shape = shape;
  args.tiles = bench.put(std::vector<RowTile>{{0, 2}, {2, kRows - 2}});
  args.num_tiles = 2;
  attend_twice(bench, args);
}

void attend_and_move(Bench& bench, KvType kind, int past, int window) {
  const HeadShape shape{4, 2, 64, kind};
  const int slots = 640, layers = 2;
  const auto head_bytes = static_cast<std::size_t>(slots * row_bytes(shape));
  const std::size_t cache_bytes =
      head_bytes * static_cast<std::size_t>(layers * shape.kv_heads * 2);
  std::uint8_t* cache = bench.put(small_numbers(cache_bytes, 1));
  std::vector<PassRow> rows;
  // Each row sees what the sequence holds, one slot besides, and itself.
  std::vector<int> extra;
  for (int r = 0; r < kRows; ++r) {
    rows.push_back(
        {cache, head_bytes, past + r + 1, past + 1, past, static_cast<int>(extra.size())});
    extra.insert(extra.end(), {past, past + r + 1});
  }
  const PassRow* pass_rows = bench.put(rows);
  float* qkv = bench.put(floats(static_cast<std::size_t>(kRows * 8 * shape.head_width), 2));
  unsigned* too_large = bench.room<unsigned>(kRows);
  bench.kernels().prepare_heads(
      {.qkv = qkv,
       .angles = bench.put(floats(static_cast<std::size_t>(kRows * 32), 3)),
       .q_norm = bench.put(floats(64, 4)),
       .k_norm = bench.put(floats(64, 5)),
       .epsilon = 1e-6f,
       .query_scale = 0.125f,
       .rotary_width = 32,
       .rows = kRows,
       .layer = 1,
       .pass_rows = pass_rows,
       .shape = shape,
       .bound = 3.99f,
       .too_large = too_large});
  bench.keep(too_large, kRows);
  bench.keep(cache, cache_bytes);
  AttentionArgs args{};
  args.qkv = qkv;
  args.pass_rows = pass_rows;
  args.extra = bench.put(extra);
  args.slopes = window > 0 ? bench.put(floats(4, 6)) : nullptr;
  args.window = window;
  args.max_splits = past / kSplit + 1;
  args.shape = shape;
  attend_twice(bench, args);

  float* queries = bench.room<float>(static_cast<std::size_t>(kRows * 2 * 64));
  bench.kernels().copy_queries(
      {qkv, bench.put(std::vector<int>{3, 1}), 2, kRows, shape, queries, 2});
  float* weights = bench.room<float>(6);
  bench.kernels().weigh_keys({queries, args.softmax, bench.put(std::vector<int>{1, 3, 0, 1}),
                              bench.put(std::vector<int>{window, 0}), args.slopes,
                              bench.put(std::vector<int>{0, 70, past}), 2, 3, past + 1, cache,
                              head_bytes, shape, weights});
  bench.keep(queries, static_cast<std::size_t>(kRows * 2 * 64));
  bench.keep(weights, 6);

  MoveArgs move{};
  move.to = cache;
  move.from = cache;
  move.to_head_bytes = move.from_head_bytes = head_bytes;
  move.count = 3;
  move.first = past;
  move.listed = true;
  move.slots[0] = past + 1;
  move.slots[1] = past + 2;
  move.slots[2] = past + 5;
  move.layers = layers;
  move.shape = shape;
  bench.kernels().move_slots(move);
  bench.keep(cache, cache_bytes);
  FollowedDrafts drafts{};
  drafts.places[0] = {cache, head_bytes, past};
  drafts.places[1] = {cache, head_bytes, 8};
  bench.kernels().move_paths({.drafts = bench.put(std::vector{drafts}),
                              .paths = bench.put(std::vector<FollowedPath>{
                                  {.length = 3, .rows = {0, 2, 5}}, {.length = 2, .rows = {0, 7}}}),
                              .count = 2,
                              .layers = layers,
                              .shape = shape});
  bench.keep(cache, cache_bytes);
}

/// Two drafts: of the first the choices go down to a grandchild, of the second they are none of its tokens.
void follow_choices(Bench& bench) {
  std::vector<RowFound> found(9);
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i] = {
        .largest = 1, .likeliest = 0, .token = i < 6 ? 7 : 3, .kept = {}, .units = 0, .has_nan = 0};
  const FollowedDrafts drafts{
      .places = {},
      .first_rows = {0, 5, 8},
      .rows = {
          {0, 4, 0}, {0, 5, 0}, {0, 7, 0}, {2, 7, 2}, {2, 8, 2}, {0, 4, 6}, {0, 5, 6}, {0, 9, 6}}};
  FollowedPath* paths = bench.room<FollowedPath>(2);
  bench.kernels().follow_drafts({.found = bench.put(found),
                                 .drafts = bench.put(std::vector{drafts}),
                                 .count = 2,
                                 .paths = paths});
  bench.keep(paths, 2);
}

TEST(KernelOrders, ChoicesDownDrafts) { expect_one_result(follow_choices); }

TEST(KernelOrders, Attention) {
  for (const auto kind : {KvType::kF32, KvType::kF16, KvType::kQ8_0})
    expect_one_result([&](Bench& bench) {
      attend_and_move(bench, kind, 100, 0);
      attend_and_move(bench, kind, 600, 0);
      attend_and_move(bench, kind, 600, 300);
      attend_in_tiles(bench, kind, 100);
      attend_in_tiles(bench, kind, 253);
    });
}

}  // namespace
}  // namespace outrider::engine::cuda::emulated
