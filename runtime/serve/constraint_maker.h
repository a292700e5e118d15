#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "runtime/grammar/answer_format.h"
#include "runtime/grammar/grammars.h"
#include "runtime/sampling/token_constraint.h"
#include "runtime/serve/api_error.h"

namespace outrider::serve {

/// Makes the constraints of requests' formats, one after the other, in a thread of its own: a schema that takes long keeps
/// only those waiting that ask for a format.
class ConstraintMaker {
 public:
  /// A request that asks for a format. One of the two is called, by the maker's thread.
  struct Job {
    grammar::AnswerFormat format;
    std::function<bool()> is_abandoned;  // nobody wants it any more: neither is called
    std::function<void(sampling::NewConstraint)> on_made;
    std::function<void(const ApiError&)> on_failed;
  };

  /// @param grammars      must outlive it
  /// @param most_waiting  requests
  ConstraintMaker(grammar::Grammars& grammars, int most_waiting);
  ~ConstraintMaker() { stop(); }
  ConstraintMaker(const ConstraintMaker&) = delete;
  ConstraintMaker& operator=(const ConstraintMaker&) = delete;

  /// @return false if too many requests wait already, or it was stopped
  bool make(Job job);
  /// Fails those that wait, and takes no more.
  void stop();

 private:
  void run();
  void work(const Job& job);

  grammar::Grammars& grammars_;
  std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace outrider::serve
