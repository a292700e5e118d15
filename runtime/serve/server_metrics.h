#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/serve/text_order.h"

namespace outrider::serve {

/// What a server counts, in the text format of Prometheus 0.0.4. May be used by several threads.
class ServerMetrics {
 public:
  /// A text has ended.
  void add(const FinishedText& text);
  /// The time between the frames of a text, for one that gave `tokens`.
  void add_latency(double seconds, int tokens);
  /// A request was answered by an error. @param status  of HTTP
  void add_failure(int status);

  /// What there is now.
  struct Load {
    int running = 0;  // texts
    int waiting = 0;  // requests
    std::int64_t cache_bytes = 0;
    std::int64_t most_cache_bytes = 0;  // 0: no limit
  };
  /// All of it. @param prefix  of the names
  std::string text(const std::string& prefix, const Load& load) const;

 private:
  struct Histogram {
    explicit Histogram(std::vector<double> upper)
        : bounds(std::move(upper)), counts(bounds.size() + 1) {}
    void add(double value, std::int64_t times = 1);

    std::vector<double> bounds;
    std::vector<std::int64_t> counts;  // [bounds + 1] each only of its own interval
    double sum = 0;
    std::int64_t count = 0;
  };
  struct OfMethod {
    std::int64_t drafts = 0, drafted = 0, accepted = 0;
    std::vector<std::int64_t> accepted_at;  // by position in the draft
    std::array<double, 4> seconds = {};     // draft, verify, sample, other
    double saved_seconds = 0;
  };

  mutable std::mutex mutex_;
  std::int64_t prompt_tokens_ = 0, generated_tokens_ = 0, passes_ = 0;
  std::int64_t cached_tokens_ = 0;
  double prompt_seconds_ = 0, generation_seconds_ = 0;
  std::map<std::string, std::int64_t> finished_;  // by reason
  std::map<int, std::int64_t> failures_;          // by status
  std::map<std::string, OfMethod> methods_;
  Histogram first_token_{{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}};
  Histogram between_tokens_{{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1}};
  Histogram pass_rows_{{1, 2, 4, 8, 16, 32, 64, 128}};
};

/// The reason why a text ended, as clients know it: "stop" or "length"; "interrupted" by the server's end.
const char* finish_of(const FinishedText& text);

}  // namespace outrider::serve
