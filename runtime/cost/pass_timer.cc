#include "runtime/cost/pass_timer.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "runtime/base/stopwatch.h"
#include "runtime/engine/forward_text.h"

namespace outrider::cost {
namespace {

constexpr int kFillChunk = 64;

std::vector<Token> some_tokens(int first, int count, int vocab) {
  std::vector<Token> tokens;
  for (int i = first; i < first + count; ++i) tokens.push_back((7919 * i + 13) % vocab);
  return tokens;
}

}  // namespace

PassTimer::PassTimer(engine::Engine& engine) : engine_(engine) {
  for (int i = 0; i < engine.config().state_inputs; ++i)
    state_.push_back(static_cast<float>((7919 * i + 13) % 17) / 16 - 0.5F);
}

double PassTimer::seconds(int context, int rows, engine::StepTimes* times) {
  std::vector<int> parents(static_cast<std::size_t>(std::max(rows, 0)));
  std::iota(parents.begin(), parents.end(), -1);
  return seconds(context, parents, times);
}

double PassTimer::seconds(int context, std::span<const int> parents, engine::StepTimes* times) {
  const int rows = static_cast<int>(parents.size());
  if (rows < 1 || rows > kMostRows) throw std::logic_error("PassTimer: rows out of range");
  pass_.sequences = {&cache_of(context)};
  pass_.times = times;
  pass_.rows.clear();
  const std::vector<Token> tokens = some_tokens(context, rows, engine_.config().vocab);
  for (std::size_t row = 0; row < parents.size(); ++row)
    pass_.rows.push_back({tokens[row], 0, parents[row], true, state()});
  const Stopwatch watch;
  engine_.forward(pass_);
  return watch.seconds();
}

double PassTimer::prefill_seconds(int depth, int tokens, int chunk) {
  const auto cache = engine_.make_cache(depth + tokens);
  fill(*cache, depth, kFillChunk);
  const Stopwatch watch;
  fill(*cache, depth + tokens, chunk);
  return watch.seconds();
}

engine::KvCache& PassTimer::cache_of(int context) {
  std::unique_ptr<engine::KvCache>& cache = caches_[context];
  if (cache == nullptr) {
    cache = engine_.make_cache(context + kMostRows);
    fill(*cache, context, kFillChunk);
  }
  return *cache;
}

void PassTimer::fill(engine::KvCache& cache, int tokens, int chunk) {
  const int first = cache.length();
  const std::vector<Token> more = some_tokens(first, tokens - first, engine_.config().vocab);
  engine::Pass pass;
  const auto add_rows = [&](engine::Pass& to, int begin, int count) {
    to.add_chain(0,
                 std::span(more).subspan(static_cast<std::size_t>(begin - first),
                                         static_cast<std::size_t>(count)),
                 false);
    for (engine::Row& row : to.rows) row.state = state();
  };
  engine::forward_rows(engine_, cache, pass, tokens - first, add_rows, {.rows = chunk});
}

}  // namespace outrider::cost
