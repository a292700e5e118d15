#include "runtime/engine/thread_team.h"

#include <immintrin.h>

#include <algorithm>
#include <stdexcept>

namespace outrider::engine {
namespace {

// Of _mm_pause: some 15 to 90 and 150 to 900 microseconds, by processor.
constexpr int kMostSpinsAtBarrier = 2000;
constexpr int kMostSpinsBetweenCalls = 20000;
constexpr int kLeastSpins = 400;

// Flush-to-zero and rounding must have their default modes in every thread, or rows would differ by
// thread.
void set_default_float_mode() { _mm_setcsr(0x1f80); }

}  // namespace

SpinThenSleep::SpinThenSleep(int most_spins) : most_(most_spins), spins_(most_spins) {}

void SpinThenSleep::wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  const int spins = spins_.load(std::memory_order_relaxed);
  for (int i = 0; i < spins; ++i) {
    if (value.load(std::memory_order_acquire) != old) {
      spins_.store(std::min(most_, spins + spins / 8), std::memory_order_relaxed);
      return;
    }
    _mm_pause();
  }
  spins_.store(std::max(kLeastSpins, spins / 2), std::memory_order_relaxed);
  value.wait(old, std::memory_order_acquire);
}

Share share(int count, int thread, int threads) {
  const auto cut = [&](int t) {
    return static_cast<int>(static_cast<std::int64_t>(count) * t / threads);
  };
  return {cut(thread), cut(thread + 1)};
}

ThreadTeam::ThreadTeam(int threads)
    : size_(threads), between_calls_(kMostSpinsBetweenCalls), at_barrier_(kMostSpinsAtBarrier) {
  for (int t = 1; t < size_; ++t) threads_.emplace_back([this, t] { serve(t); });
}

ThreadTeam::~ThreadTeam() {
  stopping_ = true;
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::run(const std::function<void(int)>& work) {
  if (running_.exchange(true, std::memory_order_acquire))
    throw std::logic_error("ThreadTeam: a call is under way");
  set_default_float_mode();
  work_ = &work;
  if (size_ > 1) {
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
  }
  work(0);
  barrier();
  running_.store(false, std::memory_order_release);
}

void ThreadTeam::serve(int thread) {
  set_default_float_mode();
  std::uint32_t seen = 0;
  for (;;) {
    between_calls_.wait_while(epoch_, seen);
    ++seen;
    if (stopping_) return;
    (*work_)(thread);
    barrier();
  }
}

void ThreadTeam::barrier() {
  if (size_ == 1) return;
  const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    phase_.store(phase + 1, std::memory_order_release);
    phase_.notify_all();
    return;
  }
  at_barrier_.wait_while(phase_, phase);
}

}  // namespace outrider::engine
