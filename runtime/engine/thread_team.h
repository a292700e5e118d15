#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace outrider::engine {

/// The half-open range [begin, end) of `count` items that one thread of a team computes.
struct Share {
  int begin;
  int end;
};
Share share(int count, int thread, int threads);

/// A count that threads wait for: they spin, and sleep where that takes too long. An idle core wakes up slowly, so
/// spinning is faster where every thread has a core. Where other programs run, a sleeper is scheduled at once
/// when it is woken, while one that spins or yields has used up its time: it spins for half as long after each
/// time in vain, and for longer again after each that was enough.
class AwaitedCount {
 public:
  explicit AwaitedCount(int most_spins);

  std::uint32_t value() const { return value_.load(std::memory_order_relaxed); }
  /// Adds one and wakes those who wait. What was written before is seen by them.
  void advance();
  /// Returns when the count is no longer `old`. Any number of threads may wait.
  void wait_while(std::uint32_t old);

 private:
  int most_;
  std::atomic<int> spins_;
  alignas(64) std::atomic<std::uint32_t> value_{0};
};

/// Persistent threads that run one function together. Thread 0 is the caller. Between calls, and at
/// barriers inside a call, they wait for each other.
class ThreadTeam {
 public:
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return size_; }

  /// Calls work(thread) on every thread and returns when all have finished. `work` must not throw.
  /// @throws std::logic_error during a call
  void run(const std::function<void(int)>& work);

  /// Inside `run`: waits until every thread has arrived.
  void barrier();

 private:
  void serve(int thread);

  int size_;
  const std::function<void(int)>* work_ = nullptr;
  AwaitedCount calls_;
  AwaitedCount barriers_;
  alignas(64) std::atomic<int> arrived_{0};
  std::atomic<bool> running_{false};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace outrider::engine
