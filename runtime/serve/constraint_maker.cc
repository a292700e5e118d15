#include "runtime/serve/constraint_maker.h"

#include <exception>
#include <new>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/log.h"

namespace outrider::serve {

ConstraintMaker::ConstraintMaker(grammar::Grammars& grammars, int most_waiting)
    : grammars_(grammars),
      most_waiting_(static_cast<std::size_t>(most_waiting)),
      thread_([this] { run(); }) {}

bool ConstraintMaker::make(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_ || waiting_.size() >= most_waiting_) return false;
    waiting_.push_back(std::move(job));
  }
  changed_.notify_all();
  return true;
}

void ConstraintMaker::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ConstraintMaker::run() {
  for (;;) {
    Job job;
    bool is_stopping = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
      is_stopping = is_stopping_;
    }
    if (is_stopping)
      job.on_failed(ApiError(503, "the server is shutting down"));
    else if (!job.is_abandoned())
      work(job);
  }
}

void ConstraintMaker::work(const Job& job) {
  sampling::NewConstraint made;
  try {
    made = grammars_.compile(job.format);
  } catch (const InputError& mistake) {
    return job.on_failed({400, std::string("response_format: ") + mistake.what(), "response_format",
                          grammar::has_grammars() ? "" : "unsupported"});
  } catch (const std::bad_alloc&) {
    return job.on_failed({503, "not enough memory for this request"});
  } catch (const std::exception& error) {
    print_log("serve: a format failed: {}\n", error.what());
    return job.on_failed({500, "the request failed; the server's log says why"});
  }
  job.on_made(std::move(made));
}

}  // namespace outrider::serve
