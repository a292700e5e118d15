#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/engine/cpu/packing.h"
#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/emulated/emulated_kernels.h"

namespace outrider::engine::cuda::emulated {
namespace {

// The engine's kernels on numbers of no meaning: that their results are the same in every order of threads and on every number of
// OS threads, and, where this is compiled with the thread sanitizer, that they have no races. tests/certify says that the
// results are right.

using Bytes = std::vector<std::uint8_t>;

constexpr int kRows = 5;
constexpr int kInputs = 2304;  // more chunks of blocks than four warps have on their way
constexpr int kPanels = 4;
constexpr int kOutputs = 16 * kPanels;

/// Words of which each half is a small number as a half, as is each float made of two, with either sign.
Bytes small_numbers(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  Bytes result(bytes);
  for (std::size_t i = 0; i + 1 < bytes; i += 2) {
    const auto half = static_cast<std::uint16_t>((random() & 0x83ffu) | 0x2c00u);
    std::memcpy(&result[i], &half, 2);
  }
  return result;
}

std::vector<float> floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> result(count);
  for (float& x : result) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 250.0f;
  return result;
}

/// Panels of random quants, and of scales that are small.
Bytes random_panels(cpu::Packing packing, unsigned seed) {
  const std::size_t bytes = kPanels * cpu::panel_bytes(packing, kInputs);
  if (cpu::is_float(packing)) return small_numbers(bytes, seed);
  Bytes result(bytes);
  std::mt19937 random(seed);
  for (auto& byte : result) byte = static_cast<std::uint8_t>(random());
  cpu::visit_layout(packing, [&](auto layout) {
    const std::size_t halves =
        layout.kForm == cpu::ScaleForm::kHalf || layout.kForm == cpu::ScaleForm::kSuperHalves ? 32
                                                                                              : 64;
    for (std::size_t at = 0; at < bytes; at += layout.kGroupBytes) {
      const Bytes scales = small_numbers(halves, static_cast<unsigned>(random()));
      std::copy(scales.begin(), scales.end(), result.begin() + static_cast<std::ptrdiff_t>(at));
    }
  });
  return result;
}

/// A device, kernels, and what they have written.
class Bench {
 public:
  explicit Bench(const Options& options)
      : device_(make_emulated_device(options)), kernels_(make_kernels(*device_)) {}

  GpuKernels& kernels() { return *kernels_; }
  std::vector<Bytes> take_results() { return std::move(results_); }

  /// Memory of the device with a copy of these, which lasts as long as this.
  template <typename T>
  T* put(const std::vector<T>& values) {
    buffers_.emplace_back(*device_, values.size() * sizeof(T));
    device_->copy_to(buffers_.back().data(), values.data(), values.size() * sizeof(T));
    device_->synchronise();
    return reinterpret_cast<T*>(buffers_.back().data());
  }
  template <typename T>
  T* room(std::size_t count) {
    return put(std::vector<T>(count));
  }
  template <typename T>
  void keep(const T* values, std::size_t count) {
    results_.emplace_back(count * sizeof(T));
    device_->copy_from(results_.back().data(), values, count * sizeof(T));
    device_->synchronise();
  }

  /// Room for rows of this width, as floats and quantised.
  Operand operand(int rows, int width) {
    const auto stride = static_cast<std::size_t>((rows + 31) / 32 * 32);
    const auto blocks = static_cast<std::size_t>(width) / 32;
    return {room<float>(static_cast<std::size_t>(rows * width)),
            {room<std::int8_t>((blocks + 1) / 2 * stride * 64), room<BlockScales>(blocks * stride),
             room<BlockSums>(blocks * stride), static_cast<int>(stride)}};
  }
  void keep(const Operand& x, int rows, int width) {
    const auto stride = static_cast<std::size_t>(x.quantised.stride);
    const auto blocks = static_cast<std::size_t>(width) / 32;
    keep(x.floats, static_cast<std::size_t>(rows * width));
    keep(x.quantised.quants, (blocks + 1) / 2 * stride * 64);
    keep(x.quantised.scales, blocks * stride);
    keep(x.quantised.sums, blocks * stride);
  }
  /// Random rows, normalised, as a product takes them.
  Operand random_rows(int rows) {
    const Operand x = operand(rows, kInputs);
    kernels_->normalise({.x = put(floats(static_cast<std::size_t>(rows * kInputs), 3)),
                         .row_numbers = nullptr,
                         .weight = put(floats(kInputs, 4)),
                         .bias = nullptr,
                         .epsilon = 1e-5f,
                         .rows = rows,
                         .width = kInputs,
                         .out = x});
    return x;
  }

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<GpuKernels> kernels_;
  std::vector<DeviceBuffer<std::uint8_t>> buffers_;
  std::vector<Bytes> results_;
};

/// That `work` gives the same results whatever the options. With more shared memory products have other forms.
template <typename Work>
void expect_one_result(const Work& work) {
  const auto results = [&](const Options& options) {
    Bench bench(options);
    work(bench);
    return bench.take_results();
  };
  const auto expected = results({});
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(results({.os_threads = 3, .seed = 11, .most_shared_bytes = 227 << 10}), expected);
}

TEST(KernelOrders, Products) {
  for (int p = 0; p < cpu::kNumPackings; ++p) {
    const auto packing = static_cast<cpu::Packing>(p);
    SCOPED_TRACE(p);
    expect_one_result([&](Bench& bench) {
      const std::uint8_t* panels = bench.put(random_panels(packing, 1));
      const std::uint8_t* others = bench.put(random_panels(packing, 2));
      const float* bias = bench.put(floats(kOutputs, 5));
      for (const bool spread : {false, true})
        for (const int rows : {1, 5, 10, 20}) {
          float* out = bench.room<float>(static_cast<std::size_t>(2 * rows * kOutputs));
          ProductArgs args{};
          args.matrices[0] = {panels, kPanels, out, bias};
          args.matrices[1] = {others, kPanels, out + kOutputs, nullptr};
          args.count = 2;
          args.inputs = kInputs;
          args.rows = rows;
          args.x = bench.random_rows(rows);
          args.out_stride = 2 * kOutputs;
          args.accumulate = rows == 10;
          bench.kernels().product(packing, args, spread);
          bench.keep(out, static_cast<std::size_t>(2 * rows * kOutputs));
          if (cpu::is_float(packing) || rows > GpuKernels::kMostGatedRows) continue;
          const Operand gated = bench.operand(rows, kOutputs);
          bench.kernels().gated_product(
              packing, {panels, others, kPanels, kInputs, rows, args.x, bias, gated}, spread);
          bench.keep(gated, rows, kOutputs);
        }
    });
  }
}

TEST(KernelOrders, NormsAndActivations) {
  expect_one_result([](Bench& bench) {
    const int width = 1056;
    const auto count = static_cast<std::size_t>(kRows * width);
    const float* x = bench.put(floats(count, 1));
    const float* y = bench.put(floats(count, 2));
    const int* numbers = bench.put(std::vector<int>{4, 0, 3, 3, 1});
    const Operand out = bench.operand(kRows, width);
    for (const float* bias : {static_cast<const float*>(nullptr), y}) {
      bench.kernels().normalise({x, numbers, y, bias, 1e-5f, kRows, width, out});
      bench.keep(out, kRows, width);
    }
    bench.kernels().normalise({x, nullptr, nullptr, nullptr, 0, kRows, width, out});
    bench.keep(out, kRows, width);
    for (const auto kind : {model::Activation::kGatedSilu, model::Activation::kRelu,
                            model::Activation::kGeluTanh, model::Activation::kGeluErf}) {
      bench.kernels().activate({kind, x, y, kRows, width, out});
      bench.keep(out, kRows, width);
    }
  });
}

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

/// The level that follows rows that were ranked, and one after a row of which the best token is known.
void choose_rows_ahead(Bench& bench, const ReadArgs& read, int rows) {
  constexpr int kWidth = 2, kState = 300, kPath = 3;
  const auto states = floats(static_cast<std::size_t>(64 * kState), 7);
  AheadArgs args{};
  args.before = {read.rows, read.found, read.ranked, read.most_ranked, nullptr, 0};
  args.rows = rows;
  args.children = 3;
  args.chances = bench.put(std::vector<double>{0.5, 1, 0.25});
  args.width = kWidth;
  args.chosen = bench.room<RowAhead>(kWidth);
  args.chances_out = bench.room<double>(kWidth);
  args.path = bench.put(std::vector<int>{7, 8, 9, 10, 11, 12});
  args.path_stride = args.path_length = kPath - 1;
  args.path_out = bench.room<int>(kWidth * kPath);
  args.path_out_stride = kPath;
  args.out = bench.put(std::vector<PassRow>(kWidth));
  args.table = bench.put(states);
  args.tokens = 64;
  args.state_width = kState;
  args.own = bench.put(states);
  args.state = bench.room<float>(2 * kWidth * kState);
  args.state_stride = 2 * kState;
  args.state_at = kState;
  const auto keep = [&] {
    bench.keep(args.chosen, kWidth);
    bench.keep(args.chances_out, kWidth);
    bench.keep(args.path_out, kWidth * kPath);
    bench.keep(args.state, 2 * kWidth * kState);
  };
  bench.kernels().choose_ahead(args);
  keep();
  args.before.ranked = nullptr;
  args.rows = args.children = args.width = 1;
  args.path = nullptr;
  bench.kernels().choose_ahead(args);
  keep();
}

/// Rows of logits: the largest, choices with noise, with filters, and scores.
void read_rows(Bench& bench, int width) {
  constexpr int kRead = 3;
  const float* logits = bench.put(floats(static_cast<std::size_t>(kRead * width), 1));
  std::vector<ReadRow> rows(kRead);
  for (int r = 0; r < kRead; ++r) {
    ReadRow& row = rows[static_cast<std::size_t>(r)];
    row = {.row = r,
           .changed = r == 1 ? 0 : -1,
           .first_change = 0,
           .changes = r == 1 ? 3 : 0,
           .first_allowed = r == 1 ? 0 : -1,
           .candidates = r,
           .ranked = 3 + r,
           .reach = 4,
           .top_k = r == 0 ? 30 : 0,
           .top_p = 0.8,
           .lowest = -3,
           .temperature = 0.7,
           .seed = 5,
           .position = 9};
  }
  const auto numbers = static_cast<std::size_t>(kRead * width);
  ReadArgs args{};
  args.logits = logits;
  args.stride = static_cast<std::size_t>(width);
  args.width = width;
  args.rows = bench.put(rows);
  // Bytes, of which those between its numbers are zero too.
  args.found = reinterpret_cast<RowFound*>(bench.room<std::uint8_t>(kRead * sizeof(RowFound)));
  args.count = kRead;
  args.changes =
      bench.put(std::vector<TokenChange>{{3, 1.5, 0.25, 0}, {40, 1.5, 0, 2}, {width - 1, 1, 0, 5}});
  args.allowed =
      bench.put(std::vector<std::uint32_t>(static_cast<std::size_t>(width + 31) / 32, 0xb6db6db6u));
  args.changed = bench.room<double>(static_cast<std::size_t>(width));
  args.candidates = bench.room<Candidate>(numbers);
  args.parts = bench.room<PartFound>(static_cast<std::size_t>(kRead * parts_of(width)));
  args.finished = bench.room<unsigned>(kRead);
  args.most_ranked = 6;
  const auto most_ranked = static_cast<std::size_t>(kRead * args.most_ranked);
  args.part_ranks =
      bench.room<ScoredToken>(most_ranked * static_cast<std::size_t>(parts_of(width)));
  args.ranked =
      reinterpret_cast<RankedToken*>(bench.room<std::uint8_t>(most_ranked * sizeof(RankedToken)));
  args.top = 5;
  args.leaves_best = true;
  args.best = bench.room<ScoredToken>(static_cast<std::size_t>(kRead * args.top));
  const auto blocks = static_cast<std::size_t>(kRead * exp_blocks_of(width));
  args.blocks = bench.room<ExpBlock>(blocks);
  // The scores of rows that are changed are those of their own logits.
  const auto keep_found = [&] { bench.keep(args.found, kRead); };
  bench.kernels().find_largest(args);
  keep_found();
  bench.keep(args.changed, static_cast<std::size_t>(width));
  for (int turn = 0; turn < 2; ++turn) bench.kernels().choose_by_noise(args);
  keep_found();
  bench.kernels().choose_filtered(args);
  keep_found();
  for (int turn = 0; turn < 2; ++turn) bench.kernels().rank(args);
  keep_found();
  bench.keep(args.ranked, most_ranked);
  choose_rows_ahead(bench, args, kRead);
  bench.kernels().rank_filtered(args);
  keep_found();
  bench.keep(args.ranked, most_ranked);
  args.rows += 2;
  args.found += 2;
  args.count = 1;
  bench.kernels().score_rows(args);
  bench.keep(args.found, 1);
  bench.keep(args.blocks, static_cast<std::size_t>(exp_blocks_of(width)));
  bench.keep(args.finished, kRead);
}

TEST(KernelOrders, RowsOfLogits) {
  expect_one_result([](Bench& bench) { read_rows(bench, 4500); });
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
