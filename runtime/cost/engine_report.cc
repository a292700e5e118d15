#include "runtime/cost/engine_report.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "runtime/cost/bandwidth.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/cost/product_rate.h"
#include "runtime/cost/weights_of_row.h"

namespace outrider::cost {
namespace {

constexpr int kPassesPerVisit = 3;
constexpr int kPrefillChunk = 64;

/// Everything timed with one number of threads.
struct Lane {
  int threads = 0;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<PassTimer> timer;
  double bandwidth = 0;                                       // of a processor's memory
  double products = 0;                                        // likewise, a second, in 8 bits
  std::map<std::pair<int, int>, std::vector<double>> passes;  // by context and rows
  std::map<std::pair<int, int>, engine::StepTimes> splits;    // sums
  std::map<int, std::vector<double>> prefills;                // by depth; tokens per second
};

void run_round(Lane& lane, const EngineReportOptions& options) {
  const engine::Place& place = lane.engine->place();
  if (place.kind == engine::Place::Kind::kProcessor) {
    lane.bandwidth = std::max(
        lane.bandwidth, read_bandwidth(lane.engine->weight_bytes(), lane.threads, kPassesPerVisit));
    if (lane.engine->numerics_name().starts_with("int8"))
      lane.products =
          std::max(lane.products, product_rate(place.unit, lane.threads, kPassesPerVisit));
  }
  for (const int context : options.contexts) {
    for (const int rows : options.rows) {
      lane.timer->seconds(context, rows);  // warms up caches and branch predictors
      for (int i = 0; i < kPassesPerVisit; ++i)
        lane.passes[{context, rows}].push_back(lane.timer->seconds(context, rows));
      lane.timer->seconds(context, rows, &lane.splits[{context, rows}]);
    }
  }
  for (const int depth : options.prefill_depths) {
    const double seconds =
        lane.timer->prefill_seconds(depth, options.prefill_tokens, kPrefillChunk);
    lane.prefills[depth].push_back(options.prefill_tokens / seconds);
  }
}

void add_results(const Lane& lane, const EngineReportOptions& options, int rounds,
                 EngineReport& report) {
  if (lane.bandwidth > 0) report.bandwidths.push_back({lane.threads, lane.bandwidth});
  if (lane.products > 0) report.product_rates.push_back({lane.threads, lane.products});
  const model::ModelConfig& config = lane.engine->config();
  const std::int64_t of_row = weights_of_row(config);
  const std::int64_t of_logits = std::int64_t{config.width} * lane.engine->num_logits();
  for (const auto& [point, seconds] : lane.passes) {
    const auto [context, rows] = point;
    const std::int64_t bytes = lane.engine->weight_bytes() + lane.engine->cache_bytes(context);
    const Spread spread = spread_of(seconds);
    const auto one = lane.passes.find({context, 1});
    const double one_row = one == lane.passes.end() ? spread.median : spread_of(one->second).median;
    std::optional<double> limit;
    const std::int64_t products = rows * (of_row + of_logits);
    if (lane.bandwidth > 0) limit = static_cast<double>(bytes) / lane.bandwidth;
    if (limit && lane.products > 0)
      limit = std::max(*limit, static_cast<double>(products) / lane.products);
    report.passes.push_back(
        {lane.threads, context, rows, spread, bytes, products, limit, spread.median / one_row});
  }
  for (const auto& [depth, rates] : lane.prefills) {
    const Spread spread = spread_of(rates);
    std::optional<double> share;
    if (lane.products > 0) share = spread.median * static_cast<double>(of_row) / lane.products;
    report.prefills.push_back({lane.threads, depth, options.prefill_tokens, spread, share});
  }
  for (const auto& [point, sums] : lane.splits) {
    PassSplit split{lane.threads, point.first, point.second, sums};
    for (double& seconds : split.times.seconds) seconds /= rounds;
    report.splits.push_back(split);
  }
}

}  // namespace

EngineReport report_engine(const engine::Engine& engine, const EngineReportOptions& options,
                           const std::function<bool(int, int)>& go_on) {
  std::vector<Lane> lanes;
  for (const int threads : options.threads) {
    Lane lane;
    lane.threads = threads;
    lane.engine = engine.with_workers(threads);
    lane.timer = std::make_unique<PassTimer>(*lane.engine);
    lanes.push_back(std::move(lane));
  }
  int rounds = 0;
  do {
    for (Lane& lane : lanes) run_round(lane, options);
    ++rounds;
  } while (go_on(rounds, options.rounds) && rounds < options.rounds);

  EngineReport report;
  for (const Lane& lane : lanes) add_results(lane, options, rounds, report);
  return report;
}

}  // namespace outrider::cost
