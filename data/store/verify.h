#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/store/trace_store.h"

namespace outrider::data {

/// Compares every shard with its manifest and its values with what they can be: hashes of file and
/// content, all shapes, offsets and ids, probabilities that fall and sum to one, entropies that a
/// distribution over the vocabulary can have, flags of loops.
/// @param shard_done  called after each shard with their number so far
/// @return every finding, one a line, naming file and dataset; none: the store is sound
std::vector<std::string> verify_store(const TraceStore& store,
                                      const std::function<void(std::int64_t)>& shard_done);

}  // namespace outrider::data
