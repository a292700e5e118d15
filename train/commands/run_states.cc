#include "train/commands/run_states.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/stopwatch.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"

namespace outrider::train {

RunStates::RunStates(const TrainingRun& run, const TrainingFlags& flags,
                     const std::vector<int>& layers, const std::string& cache)
    : target_({.model = flags.model,
               .engine = cli::engine_options(flags.target_engine(), flags.quiet),
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
      throw InputError(fmt::format(
          "--cache {}: expected the states of all traces with --workers, found {} shards without; "
          "compute them first, by --cache-only in one process",
          cache, states.cache->missing().size()));
}

void RunStates::fill(bool quiet) {
  catch_interrupts();
  std::int64_t bytes = 0, positions = 0, done = 0;
  for (const OfStore& states : stores_) {
    if (states.cache == nullptr) continue;
    bytes += states.cache->bytes();
    for (const int shard : states.cache->missing()) positions += states.cache->positions(shard);
  }
  if (positions == 0) return;
  if (!quiet)
    print_log("the target's states take {:.1f} MB in all; {} positions are to be computed\n",
              static_cast<double>(bytes) / 1e6, positions);
  cli::Progress progress("positions", positions, quiet);
  const Stopwatch watch;
  for (const OfStore& states : stores_) {
    if (states.cache == nullptr) continue;
    for (const int shard : states.cache->missing()) {
      if (interrupted()) throw Interrupted();
      states.cache->fill(shard);
      done += states.cache->positions(shard);
      progress.show(done,
                    fmt::format("{:.0f} positions/s", static_cast<double>(done) / watch.seconds()));
    }
  }
}

std::vector<data::StateSource*> RunStates::sources() const {
  std::vector<data::StateSource*> all;
  for (const OfStore& states : stores_)
    all.push_back(states.cache == nullptr ? states.read.get() : states.cache.get());
  return all;
}

}  // namespace outrider::train
