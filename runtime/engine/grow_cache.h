#pragma once

#include <cstdint>
#include <memory>

#include "runtime/engine/engine.h"

namespace outrider::engine {

/// Makes room in a cache for `tokens`, at most `most`, including rows that are not committed: a larger cache
/// with the same committed tokens replaces one that lacks it, and rows that are not committed are discarded.
/// It grows by half at least, so that the turns of a dialogue seldom copy.
/// @return whether the cache was replaced
bool grow_cache(const Engine& engine, std::unique_ptr<KvCache>& cache, int tokens, int most);
/// The bytes that the cache takes after that.
std::int64_t grown_bytes(const Engine& engine, const KvCache& cache, int tokens, int most);

}  // namespace outrider::engine
