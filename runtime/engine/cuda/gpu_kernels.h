#pragma once

#include <memory>

#include "runtime/engine/cpu/packing.h"
#include "runtime/engine/cuda/ahead_args.h"
#include "runtime/engine/cuda/device.h"
#include "runtime/engine/cuda/follow_args.h"
#include "runtime/engine/cuda/kernel_args.h"
#include "runtime/engine/cuda/row_args.h"

namespace outrider::engine::cuda {

/// The steps of a pass, launched on a device's stream. Implemented twice from one source (launch.cuh): by nvcc, and by
/// the C++ compiler for the emulated device.
class GpuKernels {
 public:
  virtual ~GpuKernels() = default;

  /// Bits do not depend on how warps divide the work. @param spread  whether several warps may find the integer products of a
  /// panel: only products of few rows take notice
  virtual void product(cpu::Packing packing, const ProductArgs& args, bool spread) = 0;
  /// Rows: at most kMostGatedRows.
  virtual void gated_product(cpu::Packing packing, const GatedArgs& args, bool spread) = 0;
  static constexpr int kMostGatedRows = 16;
  virtual void normalise(const NormArgs& args) = 0;
  virtual void activate(const ActivationArgs& args) = 0;
  virtual void prepare_heads(const HeadsArgs& args) = 0;
  virtual void attend(const AttentionArgs& args) = 0;
  virtual void weigh_keys(const WeighArgs& args) = 0;
  virtual void copy_queries(const QueryArgs& args) = 0;
  virtual void move_slots(const MoveArgs& args) = 0;

  /// Chooses the rows of a level that is drafted ahead, and writes their first states.
  virtual void choose_ahead(const AheadArgs& args) = 0;

  /// The largest logit of each row, which the others need.
  virtual void find_largest(const ReadArgs& args) = 0;
  /// Choices with noise: of rows without filters, and of rows with candidates.
  virtual void choose_by_noise(const ReadArgs& args) = 0;
  virtual void choose_filtered(const ReadArgs& args) = 0;
  /// Follows choices down drafts, and moves the rows that are accepted.
  virtual void follow_drafts(const FollowArgs& args) = 0;
  virtual void move_paths(const MovePathArgs& args) = 0;
  /// The best of each row's tokens, with noise above temperature 0: of rows without filters, and of rows with candidates.
  virtual void rank(const ReadArgs& args) = 0;
  virtual void rank_filtered(const ReadArgs& args) = 0;
  /// The best of rows with candidates, unless `top` is 0, and sums of exponentials.
  virtual void score_rows(const ReadArgs& args) = 0;
};

/// A device and the launches of its kernels: shared by the engines, caches and logits that use it.
struct Gpu {
  std::unique_ptr<Device> device;
  std::unique_ptr<GpuKernels> kernels;
};

}  // namespace outrider::engine::cuda
