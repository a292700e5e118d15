#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/cost/statistics.h"
#include "runtime/engine/engine.h"

namespace outrider::cost {

/// What to time. Every point is timed once per round, so that a temporary slowdown of the machine affects
/// all of them.
struct EngineReportOptions {
  std::vector<int> threads;
  std::vector<int> rows = {1, 2, 4, 8, 16, 32, 64};
  std::vector<int> contexts = {25, 200, 1000, 4000};
  std::vector<int> prefill_depths = {0, 1024, 4000};
  int prefill_tokens = 512;
  int rounds = 9;
};

struct PassCost {
  int threads;
  int context;
  int rows;
  Spread seconds;
  std::int64_t bytes;     // weights, and the keys and values of the context
  std::int64_t products;  // multiply-adds of rows with weights
  /// At the rates measured in the same rounds, the time of reading the bytes or of the products, the longer one. Nothing on a
  /// GPU, whose memory is not measured here.
  std::optional<double> limit_seconds;
  double ratio_to_one_row;  // of the same threads and context

  std::optional<double> share_of_limit() const {
    if (!limit_seconds) return {};
    return *limit_seconds / seconds.median;
  }
};

struct PrefillCost {
  int threads;
  int depth;
  int tokens;
  Spread tokens_per_second;
  /// What its multiply-adds with weights take of the rate that registers allow; nothing where that is not known.
  std::optional<double> share_of_products;
};

/// The time of a pass by operation, on its first thread; means over the rounds.
struct PassSplit {
  int threads;
  int context;
  int rows;
  engine::StepTimes times;
};

struct EngineReport {
  /// What a number of threads can do at most.
  struct Rate {
    int threads;
    double per_second;
  };
  std::vector<Rate> bandwidths;  // bytes that are read
  /// Multiply-adds of 8-bit numbers; none where passes compute others, or where the rate is not known.
  std::vector<Rate> product_rates;
  std::vector<PassCost> passes;
  std::vector<PrefillCost> prefills;
  std::vector<PassSplit> splits;
};

/// @param go_on  called with the rounds done and their total; false ends it early with the results so far
EngineReport report_engine(const engine::Engine& engine, const EngineReportOptions& options,
                           const std::function<bool(int, int)>& go_on);

}  // namespace outrider::cost
