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

/// Persistent threads that run one function together. Thread 0 is the caller. Between calls the
/// others spin for a moment and then sleep; inside a call they synchronise at barriers that spin,
/// and yield when a thread is late, so that an oversubscribed machine still makes progress.
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
  alignas(64) std::atomic<std::uint32_t> epoch_{0};  // counts calls of run
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> phase_{0};  // counts barriers
  std::atomic<bool> running_{false};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace outrider::engine
