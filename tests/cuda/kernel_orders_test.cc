#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "runtime/engine/cpu/packing.h"
#include "tests/cuda/kernel_bench.h"

namespace outrider::engine::cuda::emulated {
namespace {

// The engine's kernels on numbers of no meaning: that their results are the same in every order of threads and on every number of
// OS threads, and, where this is compiled with the thread sanitizer, that they have no races. tests/certify says that the
// results are right.

constexpr int kInputs = 2304;  // more chunks of blocks than four warps have on their way
constexpr int kPanels = 4;
constexpr int kOutputs = 16 * kPanels;

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
          args.x = bench.random_rows(rows, kInputs);
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

/// The level that follows rows that were ranked, and one after a row of which the best token is known.
void choose_rows_ahead(Bench& bench, const ReadArgs& read, int rows) {
  constexpr int kWidth = 2, kState = 300, kPath = 3;
  const auto states = floats(static_cast<std::size_t>(64 * kState), 7);
  AheadArgs args{};
  args.before = {read.rows, read.found, read.ranked, read.most_ranked, nullptr, 0};
  args.rows = rows;
  args.children = 3;
  args.own_children = bench.put(std::vector<int>{2});
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
  for (const bool has_noise : {false, true}) {
    args.has_noise = has_noise;
    bench.kernels().choose_ahead(args);
    keep();
  }
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

}  // namespace
}  // namespace outrider::engine::cuda::emulated
