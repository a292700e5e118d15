#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cost/cost_model.h"
#include "runtime/decode/batch.h"
#include "runtime/serve/past_drafts.h"
#include "runtime/serve/prepared_methods.h"
#include "runtime/serve/served_text.h"
#include "runtime/serve/server_metrics.h"
#include "runtime/serve/text_order.h"
#include "runtime/session/session.h"

namespace outrider::serve {

struct SchedulerOptions {
  int parallel = 8;       // texts in the same passes
  int most_waiting = 64;  // requests
  // Of keys and values of all texts, of their drafters, and of the weights and tables that methods load later; 0: no limit.
  std::int64_t cache_bytes = 0;
  std::int64_t kept_bytes = 0;  // of these, for texts that have ended
  std::string artifacts = {};   // where the costs of passes are looked for first
};

/// Generates texts in a thread of its own, the only one that uses the session's engine from then on. The texts of several
/// requests are decoded in the same passes, each as it would be alone. Requests begin in the order in which they came, as
/// soon as there is a place and memory for a text of theirs; those that nobody waits for any more end before the next pass.
class Scheduler {
 public:
  /// @param session, metrics  must outlive it
  Scheduler(session::Session& session, const SchedulerOptions& options, ServerMetrics& metrics);
  /// Ends all texts before their next pass.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Takes the orders of one request.
  /// @return false if too many requests wait already
  bool submit(std::vector<TextOrder> orders, std::shared_ptr<TextListener> listener);

  /// A place for a text.
  struct Slot {
    bool is_processing = false;
    std::string method = {};
    int prompt_tokens = 0;
    int generated_tokens = 0;
  };
  struct State {
    std::vector<Slot> slots;       // [parallel]
    int running = 0;               // texts
    int waiting = 0;               // requests
    std::int64_t cache_bytes = 0;  // in use
  };
  State state() const;
  const SchedulerOptions& options() const { return options_; }

  /// Waits until all requests are answered. @return false if that took longer than this
  bool finish(std::chrono::milliseconds patience);
  /// Ends all texts before their next pass, and waits for that; nothing is submitted after it.
  void stop();

 private:
  using Running = std::list<std::unique_ptr<ServedText>>;
  using Ready = std::deque<std::unique_ptr<ServedText>>::iterator;

  void run();
  bool take_requests();
  bool may_begin(const ServedRequest& request) const;
  bool prepare_methods(ServedRequest& request);
  bool begin(const std::shared_ptr<ServedRequest>& request);
  int num_requests() const;
  Ready find_next();
  void add_texts();
  void cancel_unwanted();
  void pass();
  void finish_ended();
  void finish(ServedText& text);
  void fail(ServedRequest& request, const std::exception_ptr& error);
  void share_rows(std::span<decode::RowShare> sequences, int rows);
  std::optional<double> plain_seconds(const FinishedText& finished) const;
  void publish();

  session::Session& session_;
  SchedulerOptions options_;
  ServerMetrics& metrics_;
  PreparedMethods methods_;
  std::optional<cost::CostModel> costs_;    // of passes here, as far as they are known
  std::map<std::string, PastDrafts> past_;  // by method
  std::vector<const PastDrafts*> past_of_;  // of the sequences that share a pass
  decode::Batch batch_;
  Running running_;  // in the batch
  std::deque<std::unique_ptr<ServedText>>
      ready_;  // of requests that have begun; join as soon as there is room

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<ServedRequest>> waiting_;
  State state_;
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;
};

}  // namespace outrider::serve
