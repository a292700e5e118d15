#include <gtest/gtest.h>

#include <vector>

#include "runtime/engine/cuda/emulated/emulated_device.h"
#include "runtime/engine/cuda/gpu.h"

// A race ends the program, so that a test which makes one can expect its death.
extern "C" const char* __tsan_default_options();  // NOLINT
extern "C" const char* __tsan_default_options() { return "halt_on_error=1"; }

namespace outrider::engine::cuda::emulated {
namespace {

// Kernels that are right only with what `Races` leaves out. The thread sanitizer has to find each race, also in orders
// in which the result is right, and none where nothing is left out.
enum class Races {
  kNone,
  kBarrier,
  kSecondBarrier,
  kWarpBarrier,
  kGridBarrier,
  kOwnOutput,
  kRelease
};

__global__ void sum_neighbours(const int* x, int* out, Races races) {
  __shared__ int numbers[64];
  int* sums = dynamic_shared<int>();
  const int thread = static_cast<int>(threadIdx.x);
  for (int turn = 0; turn < 2; ++turn) {
    numbers[thread] = x[turn * 64 + thread];
    if (races != Races::kBarrier) __syncthreads();
    sums[thread] = numbers[thread] + numbers[(thread + 1) % 64];
    if (races != Races::kSecondBarrier) __syncthreads();
    // Words of another lane of the warp. A shuffle orders no memory.
    const int lane = thread % 32;
    const int other = __shfl_xor_sync(0xffffffffu, sums[thread], 1);
    if (races != Races::kWarpBarrier) __syncwarp();
    sums[thread] = other;
    __syncwarp();
    const int place = thread - lane + (lane ^ 1);
    out[turn * 64 + thread] = sums[place];
    __syncwarp();
  }
}

/// Without its warp barrier a lane may take what another has not written yet.
__global__ void pass_on(const int* x, int* out, Races races) {
  __shared__ int numbers[32];
  const int lane = static_cast<int>(threadIdx.x);
  numbers[lane] = x[lane];
  const int sum = __shfl_xor_sync(0xffffffffu, x[lane], 1);
  if (races != Races::kWarpBarrier) __syncwarp();
  out[lane] = numbers[31 - lane] + sum;
}

__global__ void add_in_phases(int* a, int* b, unsigned* arrived, Races races) {
  for (unsigned phase = 1; phase <= 3; ++phase) {
    const unsigned block = blockIdx.x;
    b[block] = a[(block + 1) % gridDim.x] + 1;
    int* const other = a;
    a = b;
    b = other;
    if (races == Races::kGridBarrier) continue;
    add_release(arrived, 1);
    while (load_acquire(arrived) < phase * gridDim.x) spin_pause();
  }
}

__global__ void write_own(int* out, Races races) {
  out[races == Races::kOwnOutput ? 0 : blockIdx.x] = 1;
}

/// The block that comes last adds up what all have written.
__global__ void add_last(int* parts, unsigned* finished, int* total, Races races) {
  parts[blockIdx.x] = static_cast<int>(blockIdx.x);
  const unsigned before =
      races == Races::kRelease ? atomicAdd(finished, 1u) : add_release(finished, 1);
  if (before + 1 < gridDim.x) return;
  for (unsigned block = 0; block < gridDim.x; ++block) *total += parts[block];
}

/// The same with fences.
__global__ void add_last_fenced(int* parts, unsigned* finished, int* total, Races races) {
  parts[blockIdx.x] = static_cast<int>(blockIdx.x);
  if (races != Races::kRelease) __threadfence();
  if (atomicAdd(finished, 1u) + 1 < gridDim.x) return;
  if (races != Races::kRelease) __threadfence();
  for (unsigned block = 0; block < gridDim.x; ++block) *total += parts[block];
}

void run(Races races, std::uint64_t seed) {
  const auto device = make_emulated_device({.os_threads = 4, .seed = seed});
  const Stream stream = device->stream();
  std::vector<int> x(128, 1), y(128), z(128);
  for (int turn = 0; turn < 2; ++turn) {
    unsigned counts[3] = {0, 0, 0};
    LAUNCH(sum_neighbours, 1, 64, 256, stream, x.data(), y.data(), races);
    LAUNCH(pass_on, 1, 32, 0, stream, y.data(), z.data(), races);
    LAUNCH_TOGETHER(add_in_phases, 3, 1, 0, stream, y.data(), z.data(), &counts[0], races);
    LAUNCH(write_own, 4, 1, 0, stream, z.data(), races);
    LAUNCH(add_last, 4, 1, 0, stream, y.data(), &counts[1], z.data(), races);
    LAUNCH(add_last_fenced, 4, 1, 0, stream, y.data(), &counts[2], z.data(), races);
  }
}

class RacesTest : public testing::Test {
 protected:
  // A process of its own for each death, since the thread sanitizer takes no threads after a fork.
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(RacesTest, ThereIsNoneInKernelsThatAreRight) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) run(Races::kNone, seed);
}

TEST_F(RacesTest, AMissingBarrierIsFound) {
  EXPECT_DEATH(run(Races::kBarrier, 0), "data race(.|\n)*sum_neighbours");
}
TEST_F(RacesTest, AMissingBarrierBetweenTurnsIsFound) {
  EXPECT_DEATH(run(Races::kSecondBarrier, 0), "data race(.|\n)*sum_neighbours");
}
TEST_F(RacesTest, AMissingBarrierOfAWarpIsFound) {
  EXPECT_DEATH(run(Races::kWarpBarrier, 0), "data race(.|\n)*(sum_neighbours|pass_on)");
}
TEST_F(RacesTest, AMissingGridBarrierIsFound) {
  EXPECT_DEATH(run(Races::kGridBarrier, 0), "data race(.|\n)*add_in_phases");
}
TEST_F(RacesTest, TwoBlocksThatWriteOnePlaceAreFound) {
  EXPECT_DEATH(run(Races::kOwnOutput, 0), "data race(.|\n)*write_own");
}
TEST_F(RacesTest, ACountThatReleasesNothingIsFound) {
  EXPECT_DEATH(run(Races::kRelease, 0), "data race(.|\n)*add_last");
}

}  // namespace
}  // namespace outrider::engine::cuda::emulated
