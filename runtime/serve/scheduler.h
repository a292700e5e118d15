#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/cost/cost_model.h"
#include "runtime/serve/prepared_methods.h"
#include "runtime/serve/server_metrics.h"
#include "runtime/serve/text_order.h"
#include "runtime/session/session.h"

namespace outrider::serve {

/// Generates texts in a thread of its own, the only one that uses the session's engine from then on. Requests are
/// decoded one after the other, in the order in which they came; a request that nobody waits for any more
/// ends before its next pass.
class Scheduler {
 public:
  struct Options {
    int most_waiting = 64;  // requests
  };

  /// @param session, metrics  must outlive it
  Scheduler(session::Session& session, const Options& options, ServerMetrics& metrics);
  /// Ends all texts before their next pass.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Takes the orders of one request.
  /// @return false if too many requests wait already
  bool submit(std::vector<TextOrder> orders, std::shared_ptr<TextListener> listener);

  /// What it does now.
  struct State {
    int running = 0;  // requests
    int waiting = 0;
    // Of the text that is generated:
    std::string method = {};
    int prompt_tokens = 0;
    int generated_tokens = 0;
  };
  State state() const;

  /// Waits until all requests are answered. @return false if that took longer than this
  bool finish(std::chrono::milliseconds patience);
  /// Ends all texts before their next pass, and waits for that; nothing is submitted after it.
  void stop();

 private:
  class TextRun;
  struct Request {
    std::vector<TextOrder> orders;
    std::shared_ptr<TextListener> listener;
    std::chrono::steady_clock::time_point submitted;
  };
  void run();
  void answer(const Request& request);
  void generate(const Request& request, int order);
  std::vector<ScoredToken> score_prompt(const TextOrder& order, const TextListener& listener);
  std::optional<double> plain_seconds(const inference::GeneratedText& text) const;

  session::Session& session_;
  Options options_;
  ServerMetrics& metrics_;
  PreparedMethods methods_;
  std::optional<cost::CostModel> costs_;  // of passes here, as far as they are known

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> waiting_;
  State state_;
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;
};

}  // namespace outrider::serve
