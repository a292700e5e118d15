#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/engine/cuda/emulated/types.h"

namespace outrider::engine::cuda::emulated {

/// Where a kernel calls a collective.
struct Place {
  const char* call;  // "__syncthreads"
  const char* file;
  int line;
};

/// What a thread of the device knows of itself. Its warp and lane follow from the number.
struct ThreadIndex {
  uint3 thread;
  uint3 block;
  dim3 block_size;
  dim3 grid_size;
  unsigned number;  // in its block: x first, then y, then z
};

/// The one that this OS thread runs now; null outside kernels.
extern constinit thread_local const ThreadIndex* g_thread;

/// What all blocks of a launch share.
struct Launch {
  const char* kernel_name;
  std::function<void()> kernel;
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  LaunchKind kind = LaunchKind::kOrdinary;  // kTogether: every block has an OS thread of its own
  /// 0: blocks and threads in order; else in an order that changes at every switch.
  std::uint64_t seed = 0;
  int workers = 1;  // OS threads

  // Blocks that wait for others by reading memory in a loop: they are stuck once all that have begun have read it since it
  // last changed.
  std::atomic<std::uint64_t> changes{0};
  std::unique_ptr<std::atomic<std::uint64_t>[]> idle;  // [workers]

  std::atomic<bool> failed{false};
  std::exception_ptr error;  // of the first that failed
  // For the thread sanitizer (see `publish`).
  char begin_tag = 0, end_tag = 0, fence_tag = 0;

  Launch(const char* name, std::function<void()> run, dim3 grid_size, dim3 block_size,
         std::size_t bytes);
  std::uint64_t blocks() const { return std::uint64_t{1} * grid.x * grid.y * grid.z; }
  /// Makes room for this many OS threads.
  void set_workers(int count);
};

/// Runs every `launch.workers`-th block, one after the other, on the calling OS thread, until one fails.
/// @param worker  which of the launch's OS threads this is
void run_blocks(Launch& launch, int worker) noexcept;

// Collectives, for the thread that runs now. Each throws std::logic_error for a mistake of the kernel.

/// The shared memory that the launch asked for.
unsigned char* shared_memory();
void sync_block(const Place& place);
void sync_warp(unsigned mask, const Place& place);
/// What a lane hands to another: a word, or a number of 64 bits.
using Words = std::array<std::uint32_t, 2>;
/// The words of lane `source`.
Words shuffle(unsigned mask, const Words& words, int source, const Place& place);
unsigned ballot(unsigned mask, bool vote, const Place& place);

/// What the lanes of a warp hold of a tensor-core product d = a b + c of u8 and s8 in 32 bits: registers of
/// mma.sync.m16n8k32 (4 of a, 2 of b) or m16n8k16 (2 and 1), https://docs.nvidia.com/cuda/parallel-thread-execution.
struct ProductRegisters {
  std::array<std::uint32_t, 4> a;
  std::array<std::uint32_t, 2> b;
};
/// @param inputs  32 or 16
/// @param d       the sums of this lane, which hold c before
void product(const ProductRegisters& registers, int inputs, std::array<int, 4>& d,
             const Place& place);

/// A copy that a thread has begun and not waited for.
struct BegunCopy {
  void* to;
  const void* from;
};
void begin_copy(const BegunCopy& copy);
/// The copies since the last call are a group.
void end_copy_group();
/// The next of the thread's copies that is not in its last `groups` groups, or null; each is given once.
const BegunCopy* next_due_copy(std::size_t groups);

/// The thread has waited for the launch before its own.
void wait_for_launch_before();
/// The thread has read memory that another block is to change, and will read it again.
void pause();
/// Memory has been changed that others may wait for.
void note_change();
/// What was written before is seen by whoever calls this after.
void fence();

}  // namespace outrider::engine::cuda::emulated
