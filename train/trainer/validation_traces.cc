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

}  // namespace

std::vector<data::Trace> validation_traces(const std::vector<data::TraceStore>& stores,
                                           const data::SplitOptions& split, std::size_t most) {
  std::vector<data::Trace> traces;
  for (const data::TraceStore& store : stores) {
    for (const int shard : store.shards()) {
      const data::ShardReader reader = store.open(shard);
      for (std::size_t i = 0; i < reader.size(); ++i) {
        const auto bytes = reader.columns().ids[i];
        if (data::subset_of(std::string(bytes.begin(), bytes.end()), split) ==
            data::Subset::kValidation)
          traces.push_back(reader.columns().trace(i, store.identity().top_k));
      }
    }
  }
  if (traces.empty())
    throw InputError(
        fmt::format("--data: expected prompts for validation, found none in a share of "
                    "{}; give more traces or a larger --validation",
                    split.validation));
  std::stable_sort(traces.begin(), traces.end(), [](const data::Trace& a, const data::Trace& b) {
    return rank_of(a) < rank_of(b);
  });
  if (traces.size() > most) traces.resize(most);
  return traces;
}

}  // namespace outrider::train
