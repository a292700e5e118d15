#pragma once

#include <functional>
#include <vector>

#include "runtime/cost/statistics.h"
#include "runtime/engine/engine.h"

namespace outrider::cost {

/// What to time. Every point is timed once in each round, so that a machine that slows down for a
/// while slows all of them.
struct EngineReportOptions {
  std::vector<int> threads;
  std::vector<int> rows = {1, 2, 4, 8, 16, 32, 64};
  std::vector<int> contexts = {25, 200, 1000, 4000};
  std::vector<int> prefill_depths = {0, 1024};
  int prefill_tokens = 512;
  int rounds = 9;
};

struct PassCost {
  int threads;
  int context;
  int rows;
  Spread seconds;
  std::int64_t bytes;       // weights, and the keys and values of the context
  double limit_seconds;     // bytes at the bandwidth measured in the same rounds
  double ratio_to_one_row;  // of the same threads and context

  double share_of_limit() const { return limit_seconds / seconds.median; }
};

struct PrefillCost {
  int threads;
  int depth;
  int tokens;
  Spread tokens_per_second;
};

/// Where the time of a pass goes, as its first thread sees it; means over the rounds.
struct PassSplit {
  int threads;
  int context;
  int rows;
  engine::StepTimes times;
};

struct EngineReport {
  struct Bandwidth {
    int threads;
    double bytes_per_second;
  };
  std::vector<Bandwidth> bandwidths;
  std::vector<PassCost> passes;
  std::vector<PrefillCost> prefills;
  std::vector<PassSplit> splits;
};

/// @param go_on  told how many of how many rounds are done; false ends it early with what is there
EngineReport report_engine(const engine::Engine& engine, const EngineReportOptions& options,
                           const std::function<bool(int, int)>& go_on);

}  // namespace outrider::cost
