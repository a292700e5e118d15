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

/// A count that threads wait for. A waiting thread spins first and then sleeps in a futex. Spinning is faster where
/// every thread has a core to itself, since waking an idle core takes long. Where other programs compete for the
/// cores, sleeping is faster: the scheduler runs a woken thread at once, but one that spun or yielded has used up its
/// time slice. So the number of spins adapts: halved after a wait that ended in sleep, an eighth more after any other.
class AwaitedCount {
 public:
  explicit AwaitedCount(int most_spins);

  std::uint32_t value() const { return value_.load(std::memory_order_relaxed); }
  /// Adds one and wakes the waiting threads, which then see everything written before.
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
