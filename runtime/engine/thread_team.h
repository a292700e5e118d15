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

/// Waits for a value to change: spins, and sleeps where that takes too long. An idle core wakes up slowly, so
/// spinning is faster where every thread has a core. Where other programs run, a sleeper is scheduled at once
/// when it is woken, while one that spins or yields has used up its time: it spins for half as long after each
/// time in vain, and for longer again after each that was enough.
class SpinThenSleep {
 public:
  explicit SpinThenSleep(int most_spins);
  /// Returns when `value`, of which the writer notifies, is no longer `old`. Any number of threads may wait.
  void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old);

 private:
  int most_;
  std::atomic<int> spins_;
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
  SpinThenSleep between_calls_;
  SpinThenSleep at_barrier_;
  const std::function<void(int)>* work_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> epoch_{0};  // counts calls of run
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> phase_{0};  // counts barriers
  std::atomic<bool> running_{false};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace outrider::engine
