#include "train/commands/run_states.h"

#include <fmt/core.h>

#include "runtime/base/interrupt.h"
#include "runtime/base/log.h"
#include "runtime/base/stopwatch.h"
#include "runtime/cli/progress.h"
#include "runtime/engine/tap_request.h"

namespace outrider::train {
namespace {

const std::vector<int> kStates = {engine::kFinalNorm};

}  // namespace

RunStates::RunStates(const TrainingRun& run, const TrainingFlags& flags, const std::string& cache)
    : target_({.model = flags.model, .engine = cli::engine_options(flags.engine, flags.quiet)}) {
  for (const data::TraceStore& store : run.stores()) {
    computed_.push_back(data::recomputed_states(store, target_, kStates));
    if (!cache.empty())
      cached_.push_back(
          std::make_unique<data::StateCache>(store, cache, kStates, *computed_.back()));
  }
}

void RunStates::fill(bool quiet) {
  catch_interrupts();
  std::int64_t bytes = 0, positions = 0, done = 0;
  for (const auto& cache : cached_) {
    bytes += cache->bytes();
    for (const int shard : cache->missing()) positions += cache->positions(shard);
  }
  if (positions == 0) return;
  if (!quiet)
    print_log("the target's states take {:.1f} MB in all; {} positions are to be computed\n",
              static_cast<double>(bytes) / 1e6, positions);
  cli::Progress progress("positions", positions, quiet);
  const Stopwatch watch;
  for (const auto& cache : cached_) {
    for (const int shard : cache->missing()) {
      if (interrupted()) throw Interrupted();
      cache->fill(shard);
      done += cache->positions(shard);
      progress.show(done,
                    fmt::format("{:.0f} positions/s", static_cast<double>(done) / watch.seconds()));
    }
  }
}

std::vector<data::StateSource*> RunStates::sources() const {
  std::vector<data::StateSource*> all;
  for (std::size_t i = 0; i < computed_.size(); ++i)
    all.push_back(cached_.empty() ? computed_[i].get()
                                  : static_cast<data::StateSource*>(cached_[i].get()));
  return all;
}

}  // namespace outrider::train
