#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/store/trace_store.h"

namespace outrider::data {

/// Checks every shard against its manifest, and its values: hashes of file and content, shapes, offsets
/// and ids, probabilities that descend and sum to one, possible entropies, loop flags.
/// @param shard_done  called after each shard with their number so far
/// @return all findings, one per line, naming file and dataset; none: the store is valid
std::vector<std::string> verify_store(const TraceStore& store,
                                      const std::function<void(std::int64_t)>& shard_done);

}  // namespace outrider::data
