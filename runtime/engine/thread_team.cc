#include "runtime/engine/thread_team.h"

#include <immintrin.h>

namespace outrider::engine {
namespace {

constexpr int kSpinsBeforeYield = 300;
constexpr int kSpinsBeforeSleep = 2000;

// Flush-to-zero and rounding must be the default ones in every thread, or rows differ by thread.
void set_default_float_mode() { _mm_setcsr(0x1f80); }

}  // namespace

Share share(int count, int thread, int threads) {
  const auto cut = [&](int t) {
    return static_cast<int>(static_cast<std::int64_t>(count) * t / threads);
  };
  return {cut(thread), cut(thread + 1)};
}

ThreadTeam::ThreadTeam(int threads) : size_(threads) {
  for (int t = 1; t < size_; ++t) threads_.emplace_back([this, t] { serve(t); });
}

ThreadTeam::~ThreadTeam() {
  stopping_ = true;
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::run(const std::function<void(int)>& work) {
  set_default_float_mode();
  work_ = &work;
  if (size_ > 1) {
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
  }
  work(0);
  barrier();
}

void ThreadTeam::serve(int thread) {
  set_default_float_mode();
  std::uint32_t seen = 0;
  for (;;) {
    int spins = 0;
    while (epoch_.load(std::memory_order_acquire) == seen) {
      if (++spins < kSpinsBeforeSleep) {
        _mm_pause();
      } else {
        epoch_.wait(seen, std::memory_order_acquire);
      }
    }
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
    return;
  }
  int spins = 0;
  while (phase_.load(std::memory_order_acquire) == phase) {
    if (++spins < kSpinsBeforeYield) {
      _mm_pause();
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace outrider::engine
