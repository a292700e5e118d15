#pragma once

#include <algorithm>

#include "runtime/engine/cuda/attention.cuh"
#include "runtime/engine/cuda/heads.cuh"
#include "runtime/engine/cuda/kernels.h"
#include "runtime/engine/cuda/product.cuh"
#include "runtime/engine/cuda/rows.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// Launches: the only file that knows grids and blocks.

inline unsigned part_of(int count, int size) { return static_cast<unsigned>((count + size - 1) / size); }

/// Calls visit(Kv{}) with the kind of keys and values.
template <typename Visit>
void visit_kind(KvKind kind, const Visit& visit) {
  switch (kind) {
    case KvKind::kF32:
      return visit(KvF32{});
    case KvKind::kF16:
      return visit(KvF16{});
    case KvKind::kQ8:
      return visit(KvQ8{});
  }
}

class LaunchedKernels final : public Kernels {
 public:
  explicit LaunchedKernels(Device& device)
      : stream_(device.stream()), multiprocessors_(device.multiprocessors()) {}

  void product(Packing packing, const ProductArgs& args, bool spread) override {
    switch (packing) {
      case Packing::kF32:
        return launch_float<F32Weights>(args);
      case Packing::kF16:
        return launch_float<F16Weights>(args);
      case Packing::kBf16:
        return launch_float<Bf16Weights>(args);
      case Packing::kU4:
        return choose_product<Packing::kU4>(args, spread);
      case Packing::kU4Min:
        return choose_product<Packing::kU4Min>(args, spread);
      case Packing::kU5:
        return choose_product<Packing::kU5>(args, spread);
      case Packing::kU5Min:
        return choose_product<Packing::kU5Min>(args, spread);
      case Packing::kU8:
        return choose_product<Packing::kU8>(args, spread);
      case Packing::kU4Super:
        return choose_product<Packing::kU4Super>(args, spread);
      case Packing::kU5Super:
        return choose_product<Packing::kU5Super>(args, spread);
      case Packing::kU6Super:
        return choose_product<Packing::kU6Super>(args, spread);
    }
  }

  void normalise(const NormArgs& args) override {
    const unsigned threads = args.width >= 1024 ? 512 : 256;
    LAUNCH(OUTRIDER_GPU::normalise, static_cast<unsigned>(args.rows), threads,
           args.weight == nullptr ? 0 : static_cast<std::size_t>(args.width) * sizeof(float), stream_, args);
  }

  void activate(const ActivationArgs& args) override {
    const dim3 grid(static_cast<unsigned>(args.rows), part_of(args.width, 256));
    LAUNCH(OUTRIDER_GPU::activate, grid, 256, 0, stream_, args);
  }

  void prepare_heads(const HeadsArgs& args) override {
    const dim3 grid(static_cast<unsigned>(args.rows), static_cast<unsigned>(args.shape.heads + args.shape.kv_heads));
    const std::size_t shared = 2 * static_cast<std::size_t>(args.shape.head_width) * sizeof(float);
    visit_kind(args.shape.kv, [&](auto kv) {
      LAUNCH((OUTRIDER_GPU::prepare_heads<decltype(kv)>), grid, 64, shared, stream_, args);
    });
  }

  void attend(const AttentionArgs& args) override {
    const std::size_t group = static_cast<std::size_t>(args.shape.heads / args.shape.kv_heads);
    const std::size_t width = static_cast<std::size_t>(args.shape.head_width);
    const std::size_t shared = (group * (width + kSplit + 2) + kSplit) * sizeof(float);
    const unsigned rows = static_cast<unsigned>(args.rows), kv_heads = static_cast<unsigned>(args.shape.kv_heads);
    visit_kind(args.shape.kv, [&](auto kv) {
      using Kv = decltype(kv);
      if (args.max_splits == 1) {
        LAUNCH((attend_one_split<Kv>), dim3(rows, kv_heads), kAttentionThreads, shared, stream_, args);
        return;
      }
      const dim3 grid(rows, kv_heads, static_cast<unsigned>(args.max_splits));
      LAUNCH((score_splits<Kv>), grid, kAttentionThreads, shared, stream_, args);
      LAUNCH((add_splits<Kv>), grid, kAttentionThreads, shared, stream_, args);
    });
  }

  void weigh_keys(const WeighArgs& args) override {
    if (args.count == 0 || args.count_heads == 0) return;
    const dim3 grid(static_cast<unsigned>(args.count_heads), part_of(args.count, 128));
    visit_kind(args.shape.kv,
               [&](auto kv) { LAUNCH((OUTRIDER_GPU::weigh_keys<decltype(kv)>), grid, 128, 0, stream_, args); });
  }

  void copy_queries(const QueryArgs& args) override {
    const dim3 grid(static_cast<unsigned>(args.rows), static_cast<unsigned>(args.count_heads));
    LAUNCH(OUTRIDER_GPU::copy_queries, grid, 64, 0, stream_, args);
  }

  void move_slots(const MoveArgs& args) override {
    const dim3 grid(static_cast<unsigned>(args.layers), static_cast<unsigned>(args.shape.kv_heads), 2);
    visit_kind(args.shape.kv,
               [&](auto kv) { LAUNCH((OUTRIDER_GPU::move_slots<decltype(kv)>), grid, 32, 0, stream_, args); });
  }

  void arg_max(const float* logits, int rows, int count, int stride, int* best) override {
    LAUNCH(OUTRIDER_GPU::arg_max, static_cast<unsigned>(rows), 1024, 0, stream_, logits, count, stride, best);
  }

 private:
  template <class Weights>
  void launch_float(const ProductArgs& args) {
    const dim3 grid(part_of(args.rows, kFloatRows), part_of(args.num_panels, 8));
    LAUNCH((product_float<Weights>), grid, 128, 0, stream_, args);
  }

  /// Narrow products have too few panels to keep every multiprocessor's memory busy: four warps divide one.
  template <Packing P>
  void choose_product(const ProductArgs& args, bool spread) {
    spread = spread && args.num_panels < 4 * multiprocessors_;
    if (args.rows <= 8) return spread ? launch_product<P, 1, 4>(args) : launch_product<P, 1, 1>(args);
    if (args.rows <= 16) return spread ? launch_product<P, 2, 4>(args) : launch_product<P, 2, 1>(args);
    return launch_product<P, 4, 1>(args);
  }

  template <Packing P, int kTiles, int kSplitWarps>
  void launch_product(const ProductArgs& args) {
    using Form = ProductForm<P, kTiles, kSplitWarps, 1>;
    const dim3 grid(part_of(args.rows, 8 * kTiles), part_of(args.num_panels, Form::kPanelsOfBlock));
    LAUNCH((OUTRIDER_GPU::product<P, kTiles, kSplitWarps, 1>), grid, 128, Form::kSharedBytes, stream_, args);
  }

  Stream stream_;
  int multiprocessors_;
};

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
