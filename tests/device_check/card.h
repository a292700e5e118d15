#pragma once

#include <memory>

#include "runtime/engine/cuda/cuda_kv_cache.h"
#include "tests/device_check/ceiling_kernels.h"

namespace outrider::device_check {

namespace cuda = engine::cuda;

/// What is checked: a device, the product's kernels on it, and those that measure what it can do.
struct Card {
  std::unique_ptr<cuda::Device> device;
  std::unique_ptr<cuda::GpuKernels> kernels;
  std::unique_ptr<CeilingKernels> ceilings;
};

Card emulated_card();
/// @param number  of the card, in CUDA's order
/// @throws InputError where there is none, or in a build without CUDA
Card real_card(int number);

}  // namespace outrider::device_check
