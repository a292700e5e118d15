#include "runtime/engine/thread_team.h"

#include <immintrin.h>

#include <algorithm>
#include <stdexcept>

namespace outrider::engine {
namespace {

// Calls of _mm_pause: 47 and 470 microseconds on an AMD EPYC (family 26, model 2).
constexpr int kMostSpinsAtBarrier = 2000;
constexpr int kMostSpinsBetweenCalls = 20000;
constexpr int kLeastSpins = 400;

// Flush-to-zero and rounding must have their default modes in every thread, or rows would differ by
// thread.
void set_default_float_mode() { _mm_setcsr(0x1f80); }

}  // namespace

AwaitedCount::AwaitedCount(int most_spins) : most_(most_spins), spins_(most_spins) {}

void AwaitedCount::advance() {
  // Sequentially consistent: notify_all of GCC 12 reads how many sleep without a fence of its own, and after a store
  // that is still on its way it would miss one that has just read the old value.
  value_.fetch_add(1, std::memory_order_seq_cst);
  value_.notify_all();
}

void AwaitedCount::wait_while(std::uint32_t old) {
  const int spins = spins_.load(std::memory_order_relaxed);
  for (int i = 0; i < spins; ++i) {
    if (value_.load(std::memory_order_acquire) != old) {
      spins_.store(std::min(most_, spins + spins / 8), std::memory_order_relaxed);
      return;
    }
    _mm_pause();
  }
  spins_.store(std::min(most_, std::max(kLeastSpins, spins / 2)), std::memory_order_relaxed);
  value_.wait(old, std::memory_order_acquire);
}

Share share(int count, int thread, int threads) {
  const auto cut = [&](int t) {
    return static_cast<int>(static_cast<std::int64_t>(count) * t / threads);
  };
  return {cut(thread), cut(thread + 1)};
}

ThreadTeam::ThreadTeam(int threads)
    : size_(threads), calls_(kMostSpinsBetweenCalls), barriers_(kMostSpinsAtBarrier) {
  for (int t = 1; t < size_; ++t) threads_.emplace_back([this, t] { serve(t); });
}

ThreadTeam::~ThreadTeam() {
  stopping_ = true;
  calls_.advance();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::run(const std::function<void(int)>& work) {
  if (running_.exchange(true, std::memory_order_acquire))
    throw std::logic_error("ThreadTeam: a call is under way");
  set_default_float_mode();
  work_ = &work;
  if (size_ > 1) calls_.advance();
  work(0);
  barrier();
  running_.store(false, std::memory_order_release);
}

void ThreadTeam::serve(int thread) {
  set_default_float_mode();
  std::uint32_t seen = 0;
  for (;;) {
    calls_.wait_while(seen);
    ++seen;
    if (stopping_) return;
    (*work_)(thread);
    barrier();
  }
}

void ThreadTeam::barrier() {
  if (size_ == 1) return;
  const std::uint32_t before = barriers_.value();
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    barriers_.advance();
    return;
  }
  barriers_.wait_while(before);
}

}  // namespace outrider::engine
