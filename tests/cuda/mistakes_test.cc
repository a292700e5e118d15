#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/gpu.h"

namespace outrider::engine::cuda::emulated {
namespace {

// Kernels with mistakes, and the sentences that the emulation ends them with.

void expect_mistake(const std::function<void(Stream)>& launch_it,
                    const std::vector<std::string>& parts, const Options& options = {}) {
  const auto device = make_emulated_device(options);
  try {
    launch_it(device->stream());
    ADD_FAILURE() << "expected: " << parts[0];
  } catch (const std::logic_error& error) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "no \"" << part << "\" in: " << error.what();
  }
}

__global__ void two_barriers() {
  if (threadIdx.x < 40) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}
TEST(Mistakes, BarriersInTwoPlaces) {
  expect_mistake([](Stream stream) { LAUNCH(two_barriers, 2, 64, 0, stream); },
                 {"two_barriers, block (0, 0, 0), thread (40, 0, 0): arrives at __syncthreads "
                  "(mistakes_test.cc:",
                  "while others wait at __syncthreads", "that all threads of a block reach"});
}

__global__ void barrier_for_some() {
  if (threadIdx.x % 2 == 0) __syncthreads();
  __shfl_xor_sync(0xffffffffu, 1, 2);
}
TEST(Mistakes, ABarrierThatNotAllReach) {
  expect_mistake(
      [](Stream stream) { LAUNCH(barrier_for_some, 1, 64, 0, stream); },
      {"the block is stuck: 32 of 64 threads, the first of them number 0, wait at __syncthreads",
       "32 of 64 threads, the first of them number 1, wait at __shfl_xor_sync",
       "with mask 0xffffffff"});
}

__global__ void unequal_masks() { __shfl_xor_sync(threadIdx.x == 3 ? 0xfu : 0xffu, 1, 1); }
TEST(Mistakes, MasksThatDiffer) {
  expect_mistake([](Stream stream) { LAUNCH(unequal_masks, 1, 8, 0, stream); },
                 {"the block is stuck", "7 of 8 threads", "with mask 0x000000ff",
                  "1 of 8 threads, the first of them number 3, wait at __shfl_xor_sync",
                  "with mask 0x0000000f"});
}

__global__ void early_without_wait(int waiting) {
  if (static_cast<int>(threadIdx.x) < waiting) wait_for_launch_before();
}
TEST(Mistakes, AnEarlyLaunchThatDoesNotWait) {
  expect_mistake([](Stream stream) { LAUNCH_EARLY(early_without_wait, 1, 64, 0, stream, 40); },
                 {"early_without_wait, block (0, 0, 0), thread (40, 0, 0): ends without "
                  "wait_for_launch_before"});
  const auto device = make_emulated_device({});
  LAUNCH_EARLY(early_without_wait, 1, 64, 0, device->stream(), 64);
  LAUNCH(early_without_wait, 1, 64, 0, device->stream(), 0);
}

__global__ void foreign_mask() { __syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffffu); }
TEST(Mistakes, AMaskWithoutItsOwnLane) {
  expect_mistake([](Stream stream) { LAUNCH(foreign_mask, 1, dim3(8, 4), 0, stream); },
                 {"thread (0, 2, 0): calls __syncwarp",
                  "with mask 0x0000ffff, which leaves out its own lane 16"},
                 {});
}

__global__ void two_shuffles() {
  if (threadIdx.x < 16) {
    __shfl_xor_sync(0xffffffffu, 1, 1);
  } else {
    __ballot_sync(0xffffffffu, 1);
  }
}
TEST(Mistakes, TwoCollectivesOfOneMask) {
  expect_mistake([](Stream stream) { LAUNCH(two_shuffles, 1, 32, 0, stream); },
                 {"thread (16, 0, 0): arrives at __ballot_sync",
                  "while others of mask 0xffffffff wait at __shfl_xor_sync"});
}

__global__ void ask_who_has_ended() {
  if (threadIdx.x == 5) return;
  __shfl_sync(0xffffffffu, 1, 5);
}
TEST(Mistakes, AShuffleFromALaneThatIsNotThere) {
  expect_mistake(
      [](Stream stream) { LAUNCH(ask_who_has_ended, 1, 32, 0, stream); },
      {"__shfl_sync", "takes the word of lane 5, which is not there: lanes 0xffffffdf are"});
  expect_mistake([](Stream stream) { LAUNCH(ask_who_has_ended, 1, 4, 0, stream); },
                 {"takes the word of lane 5, which is not there: lanes 0x0000000f are"});
}

__global__ void multiply_with_half_a_warp(int* sums) {
  int d[4];
  mma_u8s8(d, {1, 2, 3, 4}, {5, 6}, {0, 0, 0, 0});
  *sums = d[0];
}
TEST(Mistakes, AProductWithoutAllLanes) {
  int sums = 0;
  expect_mistake([&](Stream stream) { LAUNCH(multiply_with_half_a_warp, 1, 16, 0, stream, &sums); },
                 {"mma_u8s8", "needs all lanes of a warp, and only 0x0000ffff are there"});
}

__global__ void meet_other_blocks(unsigned* arrived, unsigned absent) {
  if (blockIdx.x == absent) return;
  __syncthreads();
  if (threadIdx.x == 0) {
    add_release(arrived, 1);
    while (load_acquire(arrived) < gridDim.x) spin_pause();
  }
  __syncthreads();
}
TEST(Mistakes, AGridBarrierThatABlockMisses) {
  for (const std::uint64_t seed : {0u, 3u}) {
    unsigned arrived = 0;
    expect_mistake(
        [&](Stream stream) { LAUNCH_TOGETHER(meet_other_blocks, 4, 64, 0, stream, &arrived, 2u); },
        {"meet_other_blocks, block (", "reads memory again and again that no thread changes"},
        {.seed = seed});
  }
}
TEST(Mistakes, AGridBarrierOfBlocksThatAreNotLaunchedTogether) {
  unsigned arrived = 0;
  expect_mistake([&](Stream stream) { LAUNCH(meet_other_blocks, 4, 64, 0, stream, &arrived, 9u); },
                 {"blocks that wait for each other must be launched together"}, {.os_threads = 2});
}

__global__ void nothing() {}
TEST(Mistakes, LaunchesThatADeviceRefuses) {
  const auto refused = [](dim3 grid, dim3 block, std::size_t shared, const std::string& why) {
    expect_mistake([&](Stream stream) { LAUNCH(nothing, grid, block, shared, stream); }, {why});
  };
  refused(1, 1025, 0,
          "launching nothing: expected a block of 1 to 1024 threads, at most 64 in z, found (1025, "
          "1, 1)");
  refused(1, 0, 0, "found (0, 1, 1)");
  refused(1, dim3(1, 1, 65), 0, "found (1, 1, 65)");
  refused(0, 32, 0, "expected a grid of at least one block");
  refused(dim3(1, 65536), 32, 0, "at most 65535 in y and z, found (1, 65536, 1)");
  refused(1, 32, 101377, "expected at most 101376 bytes of shared memory, found 101377");
  expect_mistake([](Stream stream) { LAUNCH_TOGETHER(nothing, 17, 512, 0, stream); },
                 {"expected at most 16 blocks of 512 threads at once, found 17"});
}

__global__ void launch_another(Stream stream) { LAUNCH(nothing, 1, 32, 0, stream); }
TEST(Mistakes, AKernelThatLaunches) {
  expect_mistake([](Stream stream) { LAUNCH(launch_another, 1, 32, 0, stream, stream); },
                 {"nothing is launched by a kernel"});
}

__global__ void read_shared(unsigned* found) { *found = *dynamic_shared<unsigned>(); }
__global__ void write_shared() { *dynamic_shared<unsigned>() = 0; }
TEST(Mistakes, SharedMemoryThatIsReadBeforeItIsWrittenHoldsAPattern) {
  unsigned found = 0;
  const auto device = make_emulated_device({});
  LAUNCH(write_shared, 3, 1, 4, device->stream());
  LAUNCH(read_shared, 1, 1, 4, device->stream(), &found);
  EXPECT_EQ(found, 0xcdcdcdcdu);
}

__global__ void read_too_early(const uint4* from, unsigned* found) {
  auto* shared = dynamic_shared<uint4>();
  copy_async_16(shared, from);
  copy_async_commit();
  copy_async_16(shared + 1, from + 1);
  copy_async_commit();
  copy_async_wait<1>();
  found[0] = shared[0].y;
  found[1] = shared[1].y;
}
TEST(Mistakes, ACopyThatIsNotWaitedForLeavesAPattern) {
  const std::vector<uint4> from = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  unsigned found[2] = {0, 0};
  const auto device = make_emulated_device({});
  LAUNCH(read_too_early, 1, 1, 32, device->stream(), from.data(), found);
  EXPECT_EQ(found[0], 2u);
  EXPECT_EQ(found[1], 0xcdcdcdcdu);
}

__global__ void reverse_pair(int* x) {
  const int mine = x[threadIdx.x];
  __syncthreads();
  x[63 - threadIdx.x] = mine;
}
TEST(Mistakes, LeaveTheDeviceAsItWas) {
  const auto device = make_emulated_device({.os_threads = 2});
  std::vector<int> x(64);
  for (int i = 0; i < 64; ++i) x[static_cast<std::size_t>(i)] = i;
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_THROW(LAUNCH(barrier_for_some, 5, 64, 0, device->stream()), std::logic_error);
    LAUNCH(reverse_pair, 1, 64, 0, device->stream(), x.data());
    EXPECT_EQ(x[0], turn % 2 == 0 ? 63 : 0);
  }
}

#if OUTRIDER_SANITIZED
__global__ void write_beyond(int at) {
  __shared__ int fixed[64];
  if (at < 0) {
    fixed[64 + at % 1 + static_cast<int>(threadIdx.x)] = 1;
  } else {
    dynamic_shared<int>()[at] = 1;
  }
}
TEST(Mistakes, WritingBeyondSharedMemory) {
  const auto device = make_emulated_device({});
  LAUNCH(write_beyond, 1, 1, 64, device->stream(), 15);
  EXPECT_DEATH(LAUNCH(write_beyond, 1, 1, 64, device->stream(), 16), "heap-buffer-overflow");
  EXPECT_DEATH(LAUNCH(write_beyond, 1, 1, 64, device->stream(), -1), "out of bounds");
}
#endif

}  // namespace
}  // namespace outrider::engine::cuda::emulated
