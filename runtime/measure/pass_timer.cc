#include "runtime/measure/pass_timer.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>

namespace outrider::measure {
namespace {

constexpr int kBranches = 10;
constexpr int kFillChunk = 64;

int parent_of(int row, int rows, PassTimer::Shape shape) {
  if (row == 0) return engine::Row::kCommitted;
  if (shape == PassTimer::Shape::kChain) return row - 1;
  const int length = std::max(1, (rows - 1 + kBranches - 1) / kBranches);
  return (row - 1) % length == 0 ? 0 : row - 1;
}

double seconds_of(engine::Engine& engine, engine::Pass& pass) {
  const auto start = std::chrono::steady_clock::now();
  engine.forward(pass);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double PassTimer::seconds(int context, int rows, Shape shape, engine::StepTimes* times) {
  if (rows < 1 || rows > kMostRows) throw std::logic_error("PassTimer: rows out of range");
  pass_.sequences = {&cache_of(context)};
  pass_.times = times;
  pass_.rows.clear();
  for (int i = 0; i < rows; ++i)
    pass_.rows.push_back(
        {(7919 * i + 13) % engine_.config().vocab, 0, parent_of(i, rows, shape), true});
  return seconds_of(engine_, pass_);
}

double PassTimer::prefill_seconds(int depth, int tokens, int chunk) {
  engine::KvCache cache = engine_.make_cache(depth + tokens);
  fill(cache, depth, kFillChunk);
  const auto start = std::chrono::steady_clock::now();
  fill(cache, depth + tokens, chunk);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

engine::KvCache& PassTimer::cache_of(int context) {
  const auto found = caches_.find(context);
  if (found != caches_.end()) return found->second;
  engine::KvCache& cache =
      caches_.emplace(context, engine_.make_cache(context + kMostRows)).first->second;
  fill(cache, context, kFillChunk);
  return cache;
}

void PassTimer::fill(engine::KvCache& cache, int tokens, int chunk) {
  std::vector<int> all(static_cast<std::size_t>(chunk));
  std::iota(all.begin(), all.end(), 0);
  engine::Pass pass;
  pass.sequences = {&cache};
  while (cache.length() < tokens) {
    const int rows = std::min(chunk, tokens - cache.length());
    pass.rows.clear();
    for (int i = 0; i < rows; ++i)
      pass.rows.push_back({(7919 * (cache.length() + i) + 17) % engine_.config().vocab, 0,
                           i == 0 ? engine::Row::kCommitted : i - 1, false});
    engine_.forward(pass);
    cache.commit({all.data(), static_cast<std::size_t>(rows)});
  }
}

}  // namespace outrider::measure
