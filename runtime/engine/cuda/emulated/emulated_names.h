#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime/base/half.h"
#include "runtime/engine/cuda/emulated/block.h"
#include "runtime/engine/cuda/emulated/queue.h"
#include "runtime/engine/cuda/emulated/types.h"

// The names that kernels are written with (runtime/engine/cuda/gpu.h), for a C++ compiler. CUDA's functions are described in its
// programming guide. Those that are no collectives do what they say on one thread.

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): CUDA's names

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
// One OS thread runs one block at a time, so a static variable of the OS thread is the block's.
#define __shared__ static thread_local
#define DEVICE inline

#define threadIdx (::outrider::engine::cuda::emulated::g_thread->thread)
#define blockIdx (::outrider::engine::cuda::emulated::g_thread->block)
#define blockDim (::outrider::engine::cuda::emulated::g_thread->block_size)
#define gridDim (::outrider::engine::cuda::emulated::g_thread->grid_size)

#define LAUNCH(kernel, ...)                   \
  ::outrider::engine::cuda::emulated::launch( \
      #kernel, ::outrider::engine::cuda::emulated::LaunchKind::kOrdinary, kernel, __VA_ARGS__)
#define LAUNCH_TOGETHER(kernel, ...)          \
  ::outrider::engine::cuda::emulated::launch( \
      #kernel, ::outrider::engine::cuda::emulated::LaunchKind::kTogether, kernel, __VA_ARGS__)
#define LAUNCH_EARLY(kernel, ...)             \
  ::outrider::engine::cuda::emulated::launch( \
      #kernel, ::outrider::engine::cuda::emulated::LaunchKind::kEarly, kernel, __VA_ARGS__)

namespace outrider::engine::cuda::emulated {

/// Memory of the block, of the size that its launch gives, aligned to 16 bytes.
template <typename T>
T* dynamic_shared() {
  return reinterpret_cast<T*>(shared_memory());
}

// Collectives. The default arguments say where the kernel calls them.

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  sync_block({"__syncthreads", file, line});
}
inline void __syncwarp(unsigned mask = 0xffffffffu, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
  sync_warp(mask, {"__syncwarp", file, line});
}

template <typename T>
T shuffled(unsigned mask, T value, int source, const Place& place) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move words, one or two");
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(shuffle(mask, {std::bit_cast<std::uint32_t>(value)}, source, place)[0]);
  else
    return std::bit_cast<T>(shuffle(mask, std::bit_cast<Words>(value), source, place));
}
inline int lane_of(const ThreadIndex& thread) { return static_cast<int>(thread.number % 32); }

template <typename T>
T __shfl_sync(unsigned mask, T value, int source, const char* file = __builtin_FILE(),
              int line = __builtin_LINE()) {
  return shuffled(mask, value, source & 31, {"__shfl_sync", file, line});
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  return shuffled(mask, value, (lane_of(*g_thread) ^ bits) & 31, {"__shfl_xor_sync", file, line});
}
/// The last lanes keep their own.
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned lanes, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) {
  const int lane = lane_of(*g_thread), source = lane + static_cast<int>(lanes);
  return shuffled(mask, value, source < 32 ? source : lane, {"__shfl_down_sync", file, line});
}
inline unsigned __ballot_sync(unsigned mask, int vote, const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
  return ballot(mask, vote != 0, {"__ballot_sync", file, line});
}

/// d[16, 8] = c + a[16, 32] b[32, 8], u8 times s8, exact: mma.sync.m16n8k32. With lane = 4 g + t: a[0], a[1] are inputs 4 t to
/// 4 t + 3 of rows g and g + 8, a[2], a[3] the same of inputs 16 + 4 t; b[0], b[1] of column g; d[0], d[1] are row g, columns
/// 2 t and 2 t + 1, and d[2], d[3] the same of row g + 8.
inline void mma_u8s8(int (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                     const int (&c)[4], const char* file = __builtin_FILE(),
                     int line = __builtin_LINE()) {
  std::array<int, 4> sums{c[0], c[1], c[2], c[3]};
  product({{a[0], a[1], a[2], a[3]}, {b[0], b[1]}}, 32, sums, {"mma_u8s8", file, line});
  for (std::size_t i = 0; i < 4; ++i) d[i] = sums[i];
}
/// d[16, 8] = c + a[16, 16] b[16, 8]: mma.sync.m16n8k16, the first half of the above.
inline void mma_u8s8_k16(int (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b,
                         const int (&c)[4], const char* file = __builtin_FILE(),
                         int line = __builtin_LINE()) {
  std::array<int, 4> sums{c[0], c[1], c[2], c[3]};
  product({{a[0], a[1]}, {b}}, 16, sums, {"mma_u8s8_k16", file, line});
  for (std::size_t i = 0; i < 4; ++i) d[i] = sums[i];
}

// Launches that begin before the one before them has ended: LAUNCH_EARLY. Here they do not, so that a wait that comes too late
// is not noticed; one that is missing is.

// wait_for_launch_before(): before this a kernel of LAUNCH_EARLY reads and writes nothing that another kernel writes. Each of
// its threads calls it, so that a launch has ended only after all before it have.

/// From here on, once all blocks have come here or ended, the next launch may begin if it is early.
inline void let_next_launch_begin() {}

// Memory that blocks share.

inline unsigned atomicAdd(unsigned* at, unsigned value) {
  const unsigned old = __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
  note_change();
  return old;
}
inline int atomicAdd(int* at, int value) {
  const int old = __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
  note_change();
  return old;
}
inline unsigned long long atomicAdd(unsigned long long* at, unsigned long long value) {
  const unsigned long long old = __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
  note_change();
  return old;
}
inline unsigned long long atomicMax(unsigned long long* at, unsigned long long value) {
  unsigned long long old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (old < value &&
         !__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  note_change();
  return old;
}
inline void __threadfence() { fence(); }
/// What other threads wrote before they added is seen after this, and what this one wrote is seen by those who add or load later.
inline unsigned add_release(unsigned* at, unsigned value) {
  const unsigned old = __atomic_fetch_add(at, value, __ATOMIC_ACQ_REL);
  note_change();
  return old;
}
inline void store_release(unsigned* at, unsigned value) {
  __atomic_store_n(at, value, __ATOMIC_RELEASE);
  note_change();
}
inline unsigned load_acquire(const unsigned* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
/// In the body of a loop that waits for another thread by load_acquire.
inline void spin_pause() { pause(); }

// Arithmetic.

inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __int2float_rn(int a) { return static_cast<float>(a); }
/// To nearest, ties to even; the nearest integer that there is, and 0 for what is no number.
inline int __float2int_rn(float a) {
  if (!(a >= -0x1p31f)) return a < 0 ? std::numeric_limits<int>::min() : 0;
  if (a >= 0x1p31f) return std::numeric_limits<int>::max();
  return static_cast<int>(std::nearbyint(a));
}
inline float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
inline float __int_as_float(int a) { return std::bit_cast<float>(a); }
inline unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
inline int __float_as_int(float a) { return std::bit_cast<int>(a); }
inline float half_bits_to_float(std::uint16_t bits) {
  return half_to_float(static_cast<Half>(bits));
}
/// To nearest, ties to even.
inline std::uint16_t float_to_half_bits(float a) {
  return static_cast<std::uint16_t>(float_to_half(a));
}

// Ways to read memory.

/// What is read once.
template <typename T>
T __ldcs(const T* at) {
  return *at;
}
/// What no thread of the launch writes.
template <typename T>
T __ldg(const T* at) {
  return *at;
}
/// Begins to copy 16 bytes to shared memory; both addresses are multiples of 16. Until the thread has waited for its group,
/// there is 0xcd.
inline void copy_async_16(void* shared, const void* global) {
  *static_cast<uint4*>(shared) = {0xcdcdcdcdu, 0xcdcdcdcdu, 0xcdcdcdcdu, 0xcdcdcdcdu};
  begin_copy({shared, global});
}
/// Ends a group of copies.
inline void copy_async_commit() { end_copy_group(); }
/// Waits until at most the last `groups` groups of this thread's copies are under way.
template <int groups>
void copy_async_wait() {
  while (const BegunCopy* due = next_due_copy(groups))
    *static_cast<uint4*>(due->to) = *static_cast<const uint4*>(due->from);
}
/// That this will be read soon.
inline void prefetch(const void*) {}

}  // namespace outrider::engine::cuda::emulated

// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
