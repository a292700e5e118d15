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

PassTimer::PassTimer(engine::Engine& engine, PassTimer& filled) : PassTimer(engine) {
  filled_ = &filled;
}

double PassTimer::seconds(int context, int rows, engine::StepTimes* times) {
  std::vector<int> parents(static_cast<std::size_t>(std::max(rows, 0)));
  std::iota(parents.begin(), parents.end(), -1);
  return seconds(context, parents, times);
}

double PassTimer::seconds(int context, std::span<const int> parents, engine::StepTimes* times) {
  const int rows = static_cast<int>(parents.size());
  if (rows < 1 || rows > kMostRows) throw std::logic_error("PassTimer: rows out of range");
  pass_.sequences = {caches_of(context, 1).front().get()};
  pass_.times = times;
  pass_.rows.clear();
  add_rows(0, context, parents);
  return forward();
}

double PassTimer::seconds(const PassPoint& point) {
  if (point.sequences < 1 || point.rows < point.sequences || point.rows > kMostRows)
    throw std::logic_error("PassTimer: rows out of range");
  pass_.sequences.clear();
  pass_.times = nullptr;
  pass_.rows.clear();
  Caches& caches = caches_of(point.context, point.sequences);
  for (int sequence = 0; sequence < point.sequences; ++sequence) {
    pass_.sequences.push_back(caches[static_cast<std::size_t>(sequence)].get());
    const int of_one =
        point.rows / point.sequences + (sequence < point.rows % point.sequences ? 1 : 0);
    add_rows(sequence, point.context, parents_of(point.shape, of_one));
  }
  return forward();
}

void PassTimer::add_rows(int sequence, int context, std::span<const int> parents) {
  const int first = static_cast<int>(pass_.rows.size());
  const std::vector<Token> tokens =
      some_tokens(context + first, static_cast<int>(parents.size()), engine_.config().vocab);
  for (std::size_t row = 0; row < parents.size(); ++row) {
    const int parent = parents[row] < 0 ? engine::Row::kCommitted : first + parents[row];
    pass_.rows.push_back({tokens[row], sequence, parent, true, state()});
  }
}

double PassTimer::forward() {
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

PassTimer::Caches& PassTimer::caches_of(int context, int sequences) {
  Caches& caches = caches_[context];
  while (std::ssize(caches) < sequences) {
    auto cache = engine_.make_cache(context + kMostRows);
    const engine::KvCache* known = longest_within(context);
    if (filled_ != nullptr && (known == nullptr || known->length() < context))
      known = filled_->caches_of(context, 1).front().get();
    if (known != nullptr) cache->copy_prefix(*known, known->length());
    fill(*cache, context, kFillChunk);
    caches.push_back(std::move(cache));
  }
  return caches;
}

const engine::KvCache* PassTimer::longest_within(int context) const {
  const engine::KvCache* longest = nullptr;
  for (const auto& [tokens, caches] : caches_)  // ascending
    if (tokens <= context && !caches.empty()) longest = caches.front().get();
  return longest;
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
