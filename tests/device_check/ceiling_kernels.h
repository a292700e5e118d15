#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/engine/cuda/device.h"

namespace outrider::device_check {

/// Launches that do one thing only, for what a device can do at most.
class CeilingKernels {
 public:
  virtual ~CeilingKernels() = default;

  /// One block of 32 threads that does nothing.
  virtual void empty() = 0;
  /// Reads all of it once. @param from  a multiple of 16 bytes @param found  [1], hardly ever written
  virtual void read(const std::uint8_t* from, std::size_t bytes, std::uint32_t* found) = 0;
  /// Each warp of `blocks` blocks of kMultiplyWarps warps does `rounds` times kMultiplyChains tensor-core products of
  /// 16 x 32 and 32 x 8 numbers. @param sums  [blocks]
  virtual void multiply(int blocks, int rounds, int* sums) = 0;

  static constexpr int kMultiplyWarps = 8;
  static constexpr int kMultiplyChains = 8;
};

std::unique_ptr<CeilingKernels> emulated_ceiling_kernels(engine::cuda::Device& device);
std::unique_ptr<CeilingKernels> nvidia_ceiling_kernels(engine::cuda::Device& device);

}  // namespace outrider::device_check
