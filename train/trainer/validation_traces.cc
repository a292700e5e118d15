#include "train/trainer/validation_traces.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

namespace outrider::train {
namespace {

std::uint64_t rank_of(const data::Trace& trace) {
  Hasher hasher;
  hasher.add_text(trace.id);
  hasher.add_number(static_cast<std::uint64_t>(trace.turn));
  hasher.add_number(static_cast<std::uint64_t>(trace.sample));
  hasher.add_number(trace.sequence_seed);
  return hasher.low();
}

/// A trace, and where it is stored.
struct Candidate {
  data::Trace trace;
  std::size_t store;
  int shard;
  std::size_t index;  // in the shard
};

}  // namespace

std::vector<data::Trace> validation_traces(const std::vector<data::TraceStore>& stores,
                                           const data::SplitOptions& split, std::size_t most,
                                           std::span<data::StateSource* const> states) {
  std::vector<Candidate> all;
  for (std::size_t s = 0; s < stores.size(); ++s) {
    for (const int shard : stores[s].shards()) {
      const data::ShardReader reader = stores[s].open(shard);
      for (std::size_t i = 0; i < reader.size(); ++i) {
        const auto bytes = reader.columns().ids[i];
        if (data::subset_of(std::string(bytes.begin(), bytes.end()), split) ==
            data::Subset::kValidation)
          all.push_back({reader.columns().trace(i, stores[s].identity().top_k), s, shard, i});
      }
    }
  }
  if (all.empty())
    throw InputError(
        fmt::format("--data: expected prompts for validation, found none in a share of {}; give "
                    "more traces or a larger --validation",
                    split.validation));
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return rank_of(a.trace) < rank_of(b.trace);
  });
  if (all.size() > most) all.resize(most);
  std::vector<data::Trace> traces;
  for (Candidate& candidate : all) {
    if (!states.empty())
      candidate.trace.states = states[candidate.store]->states(
          stores[candidate.store].open(candidate.shard, false), candidate.index, candidate.trace);
    traces.push_back(std::move(candidate.trace));
  }
  return traces;
}

}  // namespace outrider::train
