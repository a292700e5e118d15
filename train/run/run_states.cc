#include "train/run/run_states.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/base/stopwatch.h"

namespace outrider::train {

RunStates::RunStates(const TrainingRun& run, const std::vector<int>& layers,
                     const std::string& cache)
    : target_({.model = run.options().model,
               .engine = run.engine_options(),
               .recorded_context = run.target().config.context}) {
  bool all_kept = true;
  for (const data::TraceStore& store : run.stores()) {
    OfStore& states = stores_.emplace_back();
    const bool kept = data::has_states(store, layers);
    all_kept = all_kept && kept;
    states.read =
        kept ? data::stored_states(store, layers) : data::recomputed_states(store, target_, layers);
    if (!kept && !cache.empty())
      states.cache = std::make_unique<data::StateCache>(store, cache, layers, *states.read);
  }
  if (all_kept && !cache.empty())
    throw InputError(fmt::format(
        "--cache {}: expected none, since the traces have been stored with their states", cache));
}

void RunStates::check_filled(const std::string& cache) const {
  for (const OfStore& states : stores_)
    if (states.cache != nullptr && !states.cache->missing().empty())
      throw InputError(
          fmt::format("--cache {}: expected the states of all traces with --workers, found {} "
                      "shards without; compute them first, by --cache-only in one process",
                      cache, states.cache->missing().size()));
}

void RunStates::fill(Watch& watch) {
  watch.listen();
  std::int64_t bytes = 0, positions = 0, done = 0;
  for (const OfStore& states : stores_) {
    if (states.cache == nullptr) continue;
    bytes += states.cache->bytes();
    for (const int shard : states.cache->missing()) positions += states.cache->positions(shard);
  }
  if (positions == 0) return;
  watch.inform(
      fmt::format("the target's states take {:.1f} MB in all; {} positions are to be computed",
                  static_cast<double>(bytes) / 1e6, positions));
  watch.begin("positions", positions);
  const Stopwatch time;
  for (const OfStore& states : stores_) {
    if (states.cache == nullptr) continue;
    for (const int shard : states.cache->missing()) {
      if (watch.interrupted()) throw Interrupted();
      states.cache->fill(shard);
      done += states.cache->positions(shard);
      watch.show(done,
                 fmt::format("{:.0f} positions/s", static_cast<double>(done) / time.seconds()));
    }
  }
  watch.end();
}

std::vector<data::StateSource*> RunStates::sources() const {
  std::vector<data::StateSource*> all;
  for (const OfStore& states : stores_)
    all.push_back(states.cache == nullptr ? states.read.get() : states.cache.get());
  return all;
}

}  // namespace outrider::train
