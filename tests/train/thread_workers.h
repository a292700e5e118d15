#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "train/workers/workers.h"

namespace outrider::test {

/// What workers that are threads of a test give each other.
class Mail {
 public:
  void put(int from, int to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    boxes_[{from, to}].emplace_back(bytes.begin(), bytes.end());
    sent_ += static_cast<std::int64_t>(bytes.size());
    changed_.notify_all();
  }
  std::vector<std::byte> take(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    changed_.wait(lock, [&] { return !box.empty(); });
    std::vector<std::byte> bytes = std::move(box.front());
    box.pop_front();
    return bytes;
  }
  std::int64_t sent() const { return sent_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> boxes_;
  std::int64_t sent_ = 0;
};

class ThreadWorker : public train::Workers {
 public:
  ThreadWorker(Mail& mail, int rank, int count) : mail_(mail), rank_(rank), count_(count) {}

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  void swap(int other, std::span<const std::byte> mine, std::span<std::byte> theirs) override {
    mail_.put(rank_, other, mine);
    const std::vector<std::byte> taken = mail_.take(other, rank_);
    if (taken.size() != theirs.size()) std::terminate();  // the others would wait for ever
    std::copy(taken.begin(), taken.end(), theirs.begin());
  }

 private:
  Mail& mail_;
  int rank_, count_;
};

/// Runs so many workers at once. @return the bytes that they sent to each other
inline std::int64_t run_workers(int count, const std::function<void(train::Workers&)>& run) {
  Mail mail;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      ThreadWorker worker(mail, rank, count);
      run(worker);
    });
  for (std::thread& thread : threads) thread.join();
  return mail.sent();
}

}  // namespace outrider::test
