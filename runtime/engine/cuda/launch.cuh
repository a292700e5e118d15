#pragma once

#include <type_traits>

#include "runtime/engine/cuda/ahead.cuh"
#include "runtime/engine/cuda/attention.cuh"
#include "runtime/engine/cuda/chain_product.cuh"
#include "runtime/engine/cuda/float_product.cuh"
#include "runtime/engine/cuda/followed_draft.cuh"
#include "runtime/engine/cuda/gpu_kernels.h"
#include "runtime/engine/cuda/heads.cuh"
#include "runtime/engine/cuda/product.cuh"
#include "runtime/engine/cuda/row_choice.cuh"
#include "runtime/engine/cuda/row_ranking.cuh"
#include "runtime/engine/cuda/row_scores.cuh"
#include "runtime/engine/cuda/rows.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// Launches: the only file that knows grids and blocks.

inline unsigned part_of(int count, int size) {
  return static_cast<unsigned>((count + size - 1) / size);
}

/// Calls visit(Kv{}) with the kind of keys and values.
template <typename Visit>
void visit_kind(KvType kind, const Visit& visit) {
  switch (kind) {
    case KvType::kF32:
      return visit(KvF32{});
    case KvType::kF16:
      return visit(KvF16{});
    case KvType::kQ8_0:
      return visit(KvQ8{});
  }
}

class LaunchedKernels final : public GpuKernels {
 public:
  explicit LaunchedKernels(Device& device)
      : stream_(device.stream()),
        multiprocessors_(device.multiprocessors()),
        shared_bytes_(device.shared_bytes_of_block()) {}

  void product(Packing packing, const ProductArgs& args, bool spread) override {
    if (packing == Packing::kF32) return launch_floats<F32Weights>(args);
    if (packing == Packing::kF16) return launch_floats<F16Weights>(args);
    if (packing == Packing::kBf16) return launch_floats<Bf16Weights>(args);
    visit_packing(packing, [&](auto p) { choose_product<decltype(p)::value>(args, spread); });
  }

  void gated_product(Packing packing, const GatedArgs& args, bool spread) override {
    visit_packing(packing, [&](auto p) {
      constexpr Packing kPacking = decltype(p)::value;
      using TwoMakers = ChainForm<kPacking, 2, 2, 4>;
      if constexpr (TwoMakers::kSharedBytes <= kMostChainBytes)
        if (args.rows <= 2 && spread) return launch_gated<TwoMakers>(args);
      if (args.rows <= 2) return launch_gated<ChainForm<kPacking, 2, 1, 4>>(args);
      if (args.rows <= 8) return launch_gated_tiles<ProductForm<kPacking, 1, 1, 4>>(args);
      launch_gated_tiles<ProductForm<kPacking, 2, 1, 4>>(args);
    });
  }

  void normalise(const NormArgs& args) override {
    const unsigned threads = args.width >= 1024 ? 512 : 256;
    LAUNCH_EARLY(OUTRIDER_GPU::normalise, static_cast<unsigned>(args.rows), threads,
                 args.weight == nullptr ? 0 : static_cast<std::size_t>(args.width) * sizeof(float),
                 stream_, args);
  }

  void activate(const ActivationArgs& args) override {
    const dim3 grid(static_cast<unsigned>(args.rows), part_of(args.width, 256));
    LAUNCH_EARLY(OUTRIDER_GPU::activate, grid, 256, 0, stream_, args);
  }

  void prepare_heads(const HeadsArgs& args) override {
    const dim3 grid(static_cast<unsigned>(args.rows),
                    static_cast<unsigned>(args.shape.heads + 2 * args.shape.kv_heads));
    const std::size_t shared = 2 * static_cast<std::size_t>(args.shape.head_width) * sizeof(float);
    visit_kind(args.shape.kv, [&](auto kv) {
      LAUNCH_EARLY((OUTRIDER_GPU::prepare_heads<decltype(kv)>), grid, 32, shared, stream_, args);
    });
  }

  void attend(const AttentionArgs& args) override {
    visit_kind(args.shape.kv, [&](auto kv) {
      if (args.num_tiles > 0) {
        attend_tiles<decltype(kv)>(args);
      } else {
        attend_rows<decltype(kv)>(args);
      }
    });
  }

  void weigh_keys(const WeighArgs& args) override {
    if (args.count == 0 || args.count_heads == 0) return;
    const dim3 grid(static_cast<unsigned>(args.count_heads), part_of(args.count, 128));
    visit_kind(args.shape.kv, [&](auto kv) {
      LAUNCH((OUTRIDER_GPU::weigh_keys<decltype(kv)>), grid, 128, 0, stream_, args);
    });
  }

  void copy_queries(const QueryArgs& args) override {
    const dim3 grid(static_cast<unsigned>(args.rows), static_cast<unsigned>(args.count_heads));
    LAUNCH(OUTRIDER_GPU::copy_queries, grid, 64, 0, stream_, args);
  }

  void move_slots(const MoveArgs& args) override {
    const dim3 grid(static_cast<unsigned>(args.layers), static_cast<unsigned>(args.shape.kv_heads),
                    2);
    visit_kind(args.shape.kv, [&](auto kv) {
      LAUNCH((OUTRIDER_GPU::move_slots<decltype(kv)>), grid, 32, 0, stream_, args);
    });
  }

  void choose_ahead(const AheadArgs& args) override {
    const dim3 grid(part_of(args.state_width, kAheadThreads), static_cast<unsigned>(args.width));
    LAUNCH(OUTRIDER_GPU::choose_ahead, grid, kAheadThreads, 0, stream_, args);
  }

  void find_largest(const ReadArgs& args) override {
    LAUNCH(OUTRIDER_GPU::find_largest, parts_and_rows(args), kPartThreads, 0, stream_, args);
  }
  void choose_by_noise(const ReadArgs& args) override {
    LAUNCH(OUTRIDER_GPU::choose_by_noise, parts_and_rows(args), kPartThreads, 0, stream_, args);
  }
  void choose_filtered(const ReadArgs& args) override {
    LAUNCH(OUTRIDER_GPU::choose_filtered, static_cast<unsigned>(args.count), kRowThreads, 0,
           stream_, args);
  }
  void follow_drafts(const FollowArgs& args) override {
    LAUNCH(OUTRIDER_GPU::follow_drafts, static_cast<unsigned>(args.count), FollowedPath::kMost, 0,
           stream_, args);
  }
  void move_paths(const MovePathArgs& args) override {
    const dim3 grid(static_cast<unsigned>(args.layers), static_cast<unsigned>(args.shape.kv_heads),
                    2 * static_cast<unsigned>(args.count));
    visit_kind(args.shape.kv, [&](auto kv) {
      LAUNCH((OUTRIDER_GPU::move_paths<decltype(kv)>), grid, 32, 0, stream_, args);
    });
  }
  void rank(const ReadArgs& args) override {
    LAUNCH(rank_parts, parts_and_rows(args), kPartThreads, 0, stream_, args);
    LAUNCH(merge_ranks, static_cast<unsigned>(args.count), kPartThreads, 0, stream_, args);
  }
  void rank_filtered(const ReadArgs& args) override {
    LAUNCH(OUTRIDER_GPU::rank_filtered, static_cast<unsigned>(args.count), kRowThreads, 0, stream_,
           args);
  }
  void score_rows(const ReadArgs& args) override {
    if (args.top > 0)
      LAUNCH(keep_best, static_cast<unsigned>(args.count), kRowThreads, 0, stream_, args);
    const int blocks = exp_blocks_of(args.width);
    const dim3 grid(part_of(blocks, kExpBlocks), static_cast<unsigned>(args.count));
    LAUNCH(add_exponentials, grid, kExpThreads, 0, stream_, args, blocks);
  }

 private:
  static dim3 parts_and_rows(const ReadArgs& args) {
    return {static_cast<unsigned>(parts_of(args.width)), static_cast<unsigned>(args.count)};
  }

  /// What every card has, less what kernels declare besides.
  static constexpr int kMostChainBytes = 98 << 10;
  static constexpr std::size_t kMostAttentionBytes = 96 << 10;

  static int row_bytes_of(const HeadShape& shape) {
    return (shape.kv == KvType::kF32 ? 4 : 2) * shape.head_width;
  }

  template <class Kv, bool kTiled>
  static std::size_t attention_bytes(const HeadShape& shape, int queries) {
    return static_cast<std::size_t>(SplitAttention<Kv, kTiled>::floats(queries, shape.head_width)) *
           sizeof(float);
  }

  template <class Kv>
  void attend_rows(const AttentionArgs& args) {
    const std::size_t shared =
        attention_bytes<Kv, false>(args.shape, args.shape.heads / args.shape.kv_heads);
    // Where shared memory has room for the values of a split, they are read while scores are computed.
    const std::size_t values = static_cast<std::size_t>(kSplit * row_bytes_of(args.shape));
    if constexpr (!kHasScales<Kv>)
      if (shared + values <= kMostAttentionBytes)
        return launch_attention<Kv, true, false>(args, args.rows, shared, shared + values);
    launch_attention<Kv, false, false>(args, args.rows, shared, shared);
  }

  template <class Kv>
  void attend_tiles(const AttentionArgs& args) {
    const std::size_t shared = attention_bytes<Kv, true>(args.shape, kMostTiledQueries);
    launch_attention<Kv, false, true>(args, args.num_tiles, shared, shared);
  }

  /// @param blocks       rows or tiles
  /// @param with_values  bytes of shared memory of kernels that read values
  template <class Kv, bool kFetch, bool kTiled>
  void launch_attention(const AttentionArgs& args, int blocks, std::size_t shared,
                        std::size_t with_values) {
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(args.shape.kv_heads),
                    static_cast<unsigned>(args.max_splits));
    if (args.max_splits == 1) {
      LAUNCH_EARLY((attend_one_split<Kv, kFetch, kTiled>), grid, kAttentionThreads, with_values,
                   stream_, args);
      return;
    }
    LAUNCH_EARLY((score_splits<Kv, kTiled>), grid, kAttentionThreads, shared, stream_, args);
    LAUNCH_EARLY((add_splits<Kv, kFetch, kTiled>), grid, kAttentionThreads, with_values, stream_,
                 args);
  }

  template <class Weights>
  void launch_floats(const ProductArgs& args) {
    for (int m = 0; m < args.count; ++m) {
      ProductArgs one = args;
      one.matrices[0] = args.matrices[m];
      one.count = 1;
      const dim3 grid(part_of(args.rows, kFloatRows), part_of(one.matrices[0].num_panels, 8));
      LAUNCH_EARLY((product_float<Weights>), grid, 128, 0, stream_, one);
    }
  }

  /// Calls visit with a constant of the packing's value.
  template <typename Visit>
  static void visit_packing(Packing packing, const Visit& visit) {
    switch (packing) {
      case Packing::kU4:
        return visit(std::integral_constant<Packing, Packing::kU4>{});
      case Packing::kU4Min:
        return visit(std::integral_constant<Packing, Packing::kU4Min>{});
      case Packing::kU5:
        return visit(std::integral_constant<Packing, Packing::kU5>{});
      case Packing::kU5Min:
        return visit(std::integral_constant<Packing, Packing::kU5Min>{});
      case Packing::kU8:
        return visit(std::integral_constant<Packing, Packing::kU8>{});
      case Packing::kU4Super:
        return visit(std::integral_constant<Packing, Packing::kU4Super>{});
      case Packing::kU5Super:
        return visit(std::integral_constant<Packing, Packing::kU5Super>{});
      case Packing::kU6Super:
        return visit(std::integral_constant<Packing, Packing::kU6Super>{});
      case Packing::kU2Super:  // refused when the engine is made
      case Packing::kU8Super:
      case Packing::kU8Float:
      case Packing::kF32:
      case Packing::kF16:
      case Packing::kBf16:
        break;
    }
  }

  /// The forms are those that were fastest on an H200 (results/gpu.md).
  template <Packing P>
  void choose_product(const ProductArgs& args, bool spread) {
    using FourMakers = ChainForm<P, 8, 4, 1>;
    int panels = 0;
    for (int m = 0; m < args.count; ++m) panels += args.matrices[m].num_panels;
    const bool narrow = panels < 4 * multiprocessors_;
    // More makers a panel where there are few panels.
    if (args.rows <= 2 && narrow && spread) return launch_chains<ChainForm<P, 2, 4, 1>>(args);
    if (args.rows <= 2) return launch_chains<ChainForm<P, 2, 1, 4>>(args);
    // Each panel has a block of its own while all blocks run at once, and in narrow products of 9 to 16 rows, where that was
    // faster than tiles of 16.
    const bool few_blocks = panels * ((args.rows + 7) / 8) <= 2 * multiprocessors_;
    if (spread && args.rows <= 8 && few_blocks && args.inputs > 2048 &&
        FourMakers::kSharedBytes <= shared_bytes_)
      return launch_chains<FourMakers>(args);
    if (spread && (few_blocks || (narrow && args.rows > 8 && args.rows <= 16)))
      return launch_chains<ChainForm<P, 8, 2, 1>>(args);
    if (args.rows <= 8 && narrow) return launch_product<ProductForm<P, 1, 1, 4>>(args);
    // Two panels of a warp share what is read of the rows.
    if (args.rows <= 8) return launch_product<ProductForm<P, 1, 2, 4>>(args);
    if (args.rows <= 16) return launch_product<ProductForm<P, 2, 2, 4>>(args);
    launch_product<ProductForm<P, 4, 1, 4>>(args);
  }

  template <class Form>
  void launch_chains(const ProductArgs& args) {
    unsigned groups = 0;
    for (int m = 0; m < args.count; ++m)
      groups += part_of(args.matrices[m].num_panels, Form::kTeams);
    const dim3 grid(part_of(args.rows, Form::kRows), groups);
    LAUNCH_EARLY((chain_product<Form>), grid, Form::kThreads, Form::kSharedBytes, stream_, args);
  }

  template <class Form>
  void launch_product(const ProductArgs& args) {
    unsigned groups = 0;
    for (int m = 0; m < args.count; ++m)
      groups += part_of(args.matrices[m].num_panels, Form::kWarps * Form::kPanels);
    const dim3 grid(part_of(args.rows, 8 * Form::kTiles), groups);
    LAUNCH_EARLY((OUTRIDER_GPU::product<Form>), grid, Form::kThreads, Form::kSharedBytes, stream_,
                 args);
  }

  template <class Form>
  void launch_gated(const GatedArgs& args) {
    const dim3 grid(part_of(args.rows, Form::kRows), static_cast<unsigned>(args.num_panels / 2));
    LAUNCH_EARLY((gated_chain_product<Form>), grid, Form::kThreads, Form::kSharedBytes, stream_,
                 args);
  }

  template <class Form>
  void launch_gated_tiles(const GatedArgs& args) {
    const dim3 grid(part_of(args.rows, 8 * Form::kTiles),
                    static_cast<unsigned>(args.num_panels / 2));
    LAUNCH_EARLY((OUTRIDER_GPU::gated_product<Form>), grid, Form::kThreads, Form::kSharedBytes,
                 stream_, args);
  }

  Stream stream_;
  int multiprocessors_;
  int shared_bytes_;
};

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
