#pragma once

#include "runtime/engine/cuda/gpu.h"
#include "tests/device_check/ceiling_kernels.h"

namespace outrider::engine::cuda::OUTRIDER_GPU {

__global__ void do_nothing() {}

__global__ void __launch_bounds__(512)
    read_all(const uint4* from, std::size_t count, std::uint32_t* found) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::uint32_t seen = 0;
#pragma unroll 8
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const uint4 next = __ldcs(from + i);
    seen ^= next.x ^ next.y ^ next.z ^ next.w;
  }
  // Otherwise nothing would have to be read.
  if (seen == 0x9e3779b9u) *found = seen;
}

__global__ void __launch_bounds__(32 * device_check::CeilingKernels::kMultiplyWarps)
    multiply_all(int rounds, int* sums) {
  constexpr int kChains = device_check::CeilingKernels::kMultiplyChains;
  const std::uint32_t thread = threadIdx.x;
  const std::uint32_t a[4] = {thread, thread * 3, thread * 5, thread * 7};
  const std::uint32_t b[2] = {thread * 11, thread * 13};
  int chains[kChains][4] = {};
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int i = 0; i < kChains; ++i) mma_u8s8(chains[i], a, b, chains[i]);
  int sum = 0;
#pragma unroll
  for (int i = 0; i < kChains; ++i)
#pragma unroll
    for (int c = 0; c < 4; ++c) sum ^= chains[i][c];
  if (sum == 0x1234567) sums[blockIdx.x] = sum;
}

class LaunchedCeilings final : public device_check::CeilingKernels {
 public:
  explicit LaunchedCeilings(Device& device)
      : stream_(device.stream()), multiprocessors_(device.multiprocessors()) {}

  void empty() override { LAUNCH(do_nothing, 1, 32, 0, stream_); }
  void read(const std::uint8_t* from, std::size_t bytes, std::uint32_t* found) override {
    LAUNCH(read_all, static_cast<unsigned>(4 * multiprocessors_), 512, 0, stream_,
           reinterpret_cast<const uint4*>(from), bytes / 16, found);
  }
  void multiply(int blocks, int rounds, int* sums) override {
    LAUNCH(multiply_all, static_cast<unsigned>(blocks), 32 * kMultiplyWarps, 0, stream_, rounds,
           sums);
  }

 private:
  Stream stream_;
  int multiprocessors_;
};

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
