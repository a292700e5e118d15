#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/half.h"
#include "runtime/engine/cuda/gpu.h"

// Every name of gpu.h against its definition, as plain loops on the host say it: for the emulation, and by nvcc for a GPU.

namespace outrider::engine::cuda::OUTRIDER_GPU {

constexpr unsigned kWhole = 0xffffffffu;

/// Blocks of 64: what each lane gets of the numbers of its warp.
__global__ void shuffle_words(const int* x, int* found) {
  const int thread = static_cast<int>(threadIdx.x), at = static_cast<int>(blockIdx.x) * 64 + thread;
  int* to = found + at * 6;
  to[0] = __shfl_sync(kWhole, x[at], 7);
  to[1] = __shfl_sync(kWhole, x[at], (thread * 5 + 3) % 32);
  to[2] = __shfl_xor_sync(kWhole, x[at], 9);
  to[3] = __shfl_down_sync(kWhole, x[at], 5);
  to[4] = static_cast<int>(__ballot_sync(kWhole, x[at] % 3 == 0));
  // Halves of a warp by themselves, one of them twice.
  const unsigned half = thread % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
  int sum = x[at];
  for (int bits = 8; bits > 0; bits /= 2) sum += __shfl_xor_sync(half, sum, bits);
  if (thread % 32 < 16) sum += __shfl_xor_sync(0x0000ffffu, sum, 1);
  to[5] = sum + __shfl_xor_sync(kWhole, x[at], 16);
}

/// Blocks of 48 threads, of which every third ends early: the others go on.
__global__ void end_early(const int* x, int* found) {
  __shared__ int numbers[48];
  const int thread = static_cast<int>(threadIdx.x);
  numbers[thread] = x[blockIdx.x * 48 + threadIdx.x];
  __syncthreads();
  if (thread % 3 == 0) return;
  __syncthreads();
  const unsigned there = thread < 32 ? 0xb6db6db6u : 0x0000db6du;  // without those that have ended
  const unsigned votes = __ballot_sync(there, numbers[(thread + 1) % 48] % 2);
  __syncwarp(there);
  found[blockIdx.x * 48 + threadIdx.x] = numbers[47 - thread] + static_cast<int>(votes);
}

/// Reverses blocks of 96 through shared memory, three times over.
__global__ void reverse(const int* x, int* found) {
  int* numbers = dynamic_shared<int>();
  __shared__ int others[96];
  const int thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
  const int first = 96 * static_cast<int>(blockIdx.x + blockIdx.y * gridDim.x);
  numbers[thread] = x[first + thread];
  for (int turn = 0; turn < 3; ++turn) {
    __syncthreads();
    others[thread] = numbers[95 - thread];
    __syncthreads();
    numbers[thread] = others[thread];
  }
  found[first + thread] = numbers[thread];
}

/// One warp: d = c + a b for the matrices a[16, 32], b[32, 8], c[16, 8]; then with the first 16 inputs only.
__global__ void multiply(const std::uint8_t* a, const std::int8_t* b, const int* c, int* d) {
  const int g = static_cast<int>(threadIdx.x) / 4, t = static_cast<int>(threadIdx.x) % 4;
  std::uint32_t of_a[4] = {0, 0, 0, 0}, of_b[2] = {0, 0};
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 4; ++i)
      of_a[i] |= std::uint32_t{a[(g + 8 * (i % 2)) * 32 + i / 2 * 16 + 4 * t + k]} << (8 * k);
    for (int i = 0; i < 2; ++i)
      of_b[i] |= std::uint32_t{static_cast<std::uint8_t>(b[(16 * i + 4 * t + k) * 8 + g])}
                 << (8 * k);
  }
  int of_c[4], found[4];
  for (int i = 0; i < 4; ++i) of_c[i] = c[(g + i / 2 * 8) * 8 + 2 * t + i % 2];
  mma_u8s8(found, of_a, of_b, of_c);
  for (int i = 0; i < 4; ++i) d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = found[i];
  const std::uint32_t first[2] = {of_a[0], of_a[1]};
  mma_u8s8_k16(found, first, of_b[0], of_c);
  for (int i = 0; i < 4; ++i) d[128 + (g + i / 2 * 8) * 8 + 2 * t + i % 2] = found[i];
}

/// All blocks together: in every phase each reads what the others wrote in the one before. Blocks of 32.
__global__ void phases(int* from, int* to, int count, int phases, unsigned* arrived) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int phase = 1; phase <= phases; ++phase) {
    for (int i = static_cast<int>(blockIdx.x) * 32 + thread; i < count;
         i += 32 * static_cast<int>(gridDim.x))
      to[i] = from[(i + 33) % count] * 3 + i;
    int* const other = from;
    from = to;
    to = other;
    __syncthreads();
    if (thread == 0) {
      add_release(arrived, 1);
      while (load_acquire(arrived) < gridDim.x * static_cast<unsigned>(phase)) spin_pause();
    }
    __syncthreads();
  }
}

/// Counts, sums, the largest number with the first place that has it, and a sum by the block that comes last.
struct Totals {
  unsigned count;
  int sum;
  unsigned long long long_sum;
  unsigned long long largest;
  unsigned finished;
  int total;
};
__global__ void total(const int* x, int count, int* parts, Totals* totals) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    atomicAdd(&totals->count, 1u);
    atomicAdd(&totals->sum, x[i]);
    atomicAdd(&totals->long_sum, static_cast<unsigned long long>(x[i]) << 32);
    atomicMax(&totals->largest, static_cast<unsigned long long>(x[i]) << 32 |
                                    static_cast<unsigned long long>(count - i));
  }
  if (threadIdx.x != 0) return;
  int part = 0;
  for (int k = i; k < i + static_cast<int>(blockDim.x) && k < count; ++k) part += x[k];
  parts[blockIdx.x] = part;
  if (add_release(&totals->finished, 1) + 1 < gridDim.x) return;
  for (unsigned block = 0; block < gridDim.x; ++block) totals->total += parts[block];
}

/// The arithmetic of one number a thread.
__global__ void compute(const float* x, int count, float* floats, int* ints) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float v = x[i], other = __ldg(x + (i + 1) % count), third = __ldcs(x + (i + 2) % count);
  float* to = floats + 6 * i;
  to[0] = __fmaf_rn(v, other, third);
  to[1] = __fsqrt_rn(v < 0 ? 0.0f - v : v);
  to[2] = __fdiv_rn(v, other);
  to[3] = half_bits_to_float(float_to_half_bits(v));
  to[4] = __int2float_rn(__float_as_int(v));
  to[5] = __uint_as_float(__float_as_uint(v) ^ 0x80000000u) + v * other;
  ints[i] = __float2int_rn(v);
}

/// A launch that may begin before the one before it has ended, whose results it takes.
__global__ void continue_chain(const int* from, int* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  let_next_launch_begin();
  wait_for_launch_before();
  if (i < count) to[i] = from[(i + 100) % count] * 3 + i;
}

/// One block of 32 threads: 16 bytes each, by way of shared memory.
__global__ void copy_through(const uint4* from, uint4* to) {
  uint4* shared = dynamic_shared<uint4>();
  prefetch(from + 32 + threadIdx.x);
  copy_async_16(shared + threadIdx.x, from + threadIdx.x);
  copy_async_commit();
  copy_async_16(shared + 32 + threadIdx.x, from + 32 + threadIdx.x);
  copy_async_commit();
  copy_async_wait<1>();
  to[threadIdx.x] = shared[threadIdx.x];
  copy_async_wait<0>();
  to[32 + threadIdx.x] = shared[32 + threadIdx.x];
}

/// Runs kernels on a device and compares what they find with loops.
class Collectives {
 public:
  explicit Collectives(Device& device) : device_(device) {}

  /// What was wrong, a line each.
  std::vector<std::string> run() {
    shuffles();
    threads_that_end();
    barriers();
    products();
    grid_barriers();
    atomics();
    arithmetic();
    copies();
    early_launches();
    return std::move(wrong_);
  }

 private:
  /// Numbers that look random, from 0 to 65535.
  int number() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<int>(state_ >> 16);
  }
  std::vector<int> numbers(int count) {
    std::vector<int> x(static_cast<std::size_t>(count));
    for (int& v : x) v = number();
    return x;
  }
  template <typename T>
  DeviceBuffer<T> on_device(const std::vector<T>& x) {
    DeviceBuffer<T> buffer(device_, std::span<const T>(x));
    device_.synchronise();
    return buffer;
  }
  template <typename T>
  std::vector<T> fetched(const DeviceBuffer<T>& buffer) {
    std::vector<T> x(buffer.size());
    buffer.copy_from(x);
    device_.synchronise();
    return x;
  }
  template <typename T>
  void expect(const char* what, const std::vector<T>& expected, const std::vector<T>& found) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Bits: a negative zero is another number.
      if (std::memcmp(&expected[i], &found[i], sizeof(T)) == 0) continue;  // NOLINT
      wrong_.push_back(std::string(what) + "[" + std::to_string(i) + "]: expected " +
                       std::to_string(expected[i]) + ", found " + std::to_string(found[i]));
      return;
    }
  }

  void shuffles() {
    const auto x = numbers(64 * 5);
    std::vector<int> expected;
    for (int at = 0; at < 64 * 5; ++at) {
      const int lane = at % 32;
      const auto of = [&](int other) { return x[static_cast<std::size_t>(at - lane + other)]; };
      unsigned votes = 0;
      for (int i = 0; i < 32; ++i) votes |= (of(i) % 3 == 0 ? 1u : 0u) << i;
      int half = 0;
      for (int i = 0; i < 16; ++i) half += of(lane / 16 * 16 + i);
      expected.insert(expected.end(), {of(7), of((at % 64 * 5 + 3) % 32), of(lane ^ 9),
                                       of(lane + 5 < 32 ? lane + 5 : lane), static_cast<int>(votes),
                                       half * (lane < 16 ? 2 : 1) + of(lane ^ 16)});
    }
    const auto from = on_device(x);
    DeviceBuffer<int> to(device_, x.size() * 6);
    LAUNCH(shuffle_words, 5, 64, 0, device_.stream(), from.data(), to.data());
    expect("shuffle_words", expected, fetched(to));
  }

  void threads_that_end() {
    const auto x = numbers(48 * 3);
    std::vector<int> expected(x.size(), -1);
    for (int at = 0; at < 48 * 3; ++at) {
      const int thread = at % 48, warp = thread / 32 * 32;
      const auto of = [&](int other) { return x[static_cast<std::size_t>(at - thread + other)]; };
      if (thread % 3 == 0) continue;
      int votes = 0;
      for (int i = warp; i < warp + 32 && i < 48; ++i)
        if (i % 3 != 0 && of((i + 1) % 48) % 2 == 1) votes |= static_cast<int>(1u << (i - warp));
      expected[static_cast<std::size_t>(at)] = of(47 - thread) + votes;
    }
    const auto from = on_device(x);
    DeviceBuffer<int> to(device_, x.size());
    to.fill(0xff);
    LAUNCH(end_early, 3, 48, 0, device_.stream(), from.data(), to.data());
    expect("end_early", expected, fetched(to));
  }

  void barriers() {
    const auto x = numbers(96 * 6);
    std::vector<int> expected = x;
    for (auto at = expected.begin(); at != expected.end(); at += 96) std::reverse(at, at + 96);
    const auto from = on_device(x);
    DeviceBuffer<int> to(device_, x.size());
    LAUNCH(reverse, dim3(3, 2), dim3(32, 3), 96 * sizeof(int), device_.stream(), from.data(),
           to.data());
    expect("reverse", expected, fetched(to));
  }

  void products() {
    std::vector<std::uint8_t> a(16 * 32);
    std::vector<std::int8_t> b(32 * 8);
    for (auto& v : a) v = static_cast<std::uint8_t>(number());
    for (auto& v : b) v = static_cast<std::int8_t>(number());
    a[0] = a[1] = 255;  // the largest products
    b[0] = -128;
    b[8] = 127;
    const auto c = numbers(128);
    std::vector<int> expected;
    for (const int inputs : {32, 16})
      for (std::size_t row = 0; row < 16; ++row)
        for (std::size_t column = 0; column < 8; ++column) {
          int sum = c[row * 8 + column];
          for (std::size_t k = 0; k < static_cast<std::size_t>(inputs); ++k)
            sum += int{a[row * 32 + k]} * int{b[k * 8 + column]};
          expected.push_back(sum);
        }
    const auto of_a = on_device(a);
    const auto of_b = on_device(b);
    const auto of_c = on_device(c);
    DeviceBuffer<int> d(device_, 256);
    LAUNCH(multiply, 1, 32, 0, device_.stream(), of_a.data(), of_b.data(), of_c.data(), d.data());
    expect("multiply", expected, fetched(d));
  }

  void grid_barriers() {
    const int count = 300, turns = 7;
    const auto x = numbers(count);
    std::vector<int> expected = x;
    for (int turn = 0; turn < turns; ++turn) expected = after_one_step(expected, 33);
    for (const unsigned blocks : {1u, 3u, 4u}) {
      const auto from = on_device(x);
      const auto arrived = on_device(std::vector<unsigned>{0});
      DeviceBuffer<int> to(device_, x.size());
      LAUNCH_TOGETHER(phases, blocks, 32, 0, device_.stream(), from.data(), to.data(), count, turns,
                      arrived.data());
      expect("phases", expected, fetched(to));
    }
  }

  void atomics() {
    const int count = 500;
    const auto x = numbers(count);
    int sum = 0;
    for (const int v : x) sum += v;
    const auto largest = std::max_element(x.begin(), x.end());
    const auto from = on_device(x);
    const auto totals = on_device(std::vector<Totals>{Totals{}});
    DeviceBuffer<int> parts(device_, 8);
    LAUNCH(total, 8, 64, 0, device_.stream(), from.data(), count, parts.data(), totals.data());
    const Totals found = fetched(totals)[0];
    expect("count, sum, total", std::vector<int>{count, sum, sum},
           std::vector<int>{static_cast<int>(found.count), found.sum, found.total});
    expect("long sum", std::vector<unsigned long long>{static_cast<unsigned long long>(sum) << 32},
           std::vector<unsigned long long>{found.long_sum});
    expect("largest",
           std::vector<unsigned long long>{static_cast<unsigned long long>(*largest) << 32 |
                                           static_cast<unsigned long long>(x.end() - largest)},
           std::vector<unsigned long long>{found.largest});
  }

  void arithmetic();

  void copies() {
    const auto x = numbers(256);
    std::vector<uint4> words(64);
    std::memcpy(words.data(), x.data(), 1024);
    const auto from = on_device(words);
    DeviceBuffer<uint4> to(device_, 64);
    LAUNCH(copy_through, 1, 32, 1024, device_.stream(), from.data(), to.data());
    const auto found = fetched(to);
    std::vector<int> numbers_found(256);
    std::memcpy(numbers_found.data(), found.data(), 1024);
    expect("copy_through", x, numbers_found);
  }

  void early_launches() {
    const int count = 300, launches = 6;
    const auto x = numbers(count);
    std::vector<int> expected = x;
    const auto first = on_device(x);
    DeviceBuffer<int> second(device_, x.size());
    for (int i = 0; i < launches; ++i) {
      expected = after_one_step(expected, 100);
      LAUNCH_EARLY(continue_chain, 5, 64, 0, device_.stream(), (i % 2 == 0 ? first : second).data(),
                   (i % 2 == 0 ? second : first).data(), count);
    }
    expect("continue_chain", expected, fetched(first));
  }

  /// As `phases` and `continue_chain` compute each number from the one `distance` after it.
  static std::vector<int> after_one_step(const std::vector<int>& x, std::size_t distance) {
    std::vector<int> next(x.size());
    for (std::size_t i = 0; i < next.size(); ++i)
      next[i] = static_cast<int>(static_cast<unsigned>(x[(i + distance) % next.size()]) * 3 + i);
    return next;
  }

  Device& device_;
  std::uint32_t state_ = 7;
  std::vector<std::string> wrong_;
};

inline void Collectives::arithmetic() {
  std::vector<float> x = {0.5f,     1.5f,    2.5f,           -0.5f,      -1.5f,      1e-6f,   6e-8f,
                          65504.0f, 65520.f, 3e9f,           -3e9f,      1e38f,      -1e-40f, 3.1f,
                          2048.5f,  4097.f,  1.00048828125f, 1.0014648f, 16777217.f, -7.25f};
  for (int i = 0; i < 300; ++i)
    x.push_back(static_cast<float>(number() - 32768) / static_cast<float>(1 + number() % 999));
  std::vector<float> expected;
  std::vector<int> expected_ints;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float v = x[i], other = x[(i + 1) % x.size()], third = x[(i + 2) % x.size()];
    int bits;
    std::memcpy(&bits, &v, 4);
    expected.insert(expected.end(),
                    {std::fma(v, other, third), std::sqrt(std::fabs(v)), v / other,
                     half_to_float(float_to_half(v)), static_cast<float>(bits), -v + v * other});
    const double limited = std::min(std::max(double{v}, -0x1p31), 0x1p31 - 1);
    expected_ints.push_back(static_cast<int>(std::nearbyint(limited)));
  }
  const auto from = on_device(x);
  DeviceBuffer<float> floats(device_, x.size() * 6);
  DeviceBuffer<int> ints(device_, x.size());
  LAUNCH(compute, 5, 64, 0, device_.stream(), from.data(), static_cast<int>(x.size()),
         floats.data(), ints.data());
  expect("compute", expected, fetched(floats));
  expect("__float2int_rn", expected_ints, fetched(ints));
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
