#include "runtime/engine/grow_cache.h"

#include <algorithm>
#include <utility>

namespace outrider::engine {
namespace {

/// Its capacity is the least, or half more than before.
int grown(const KvCache& cache, int tokens, int most) {
  const int needed = std::min(tokens, most);
  if (needed <= cache.capacity()) return cache.capacity();
  return std::min(std::max(needed, cache.capacity() / 2 * 3), most);
}

}  // namespace

bool grow_cache(const Engine& engine, std::unique_ptr<KvCache>& cache, int tokens, int most) {
  const int capacity = grown(*cache, tokens, most);
  if (capacity == cache->capacity()) return false;
  auto larger = engine.make_cache(capacity);
  larger->copy_prefix(*cache, cache->length());
  cache = std::move(larger);
  return true;
}

std::int64_t grown_bytes(const Engine& engine, const KvCache& cache, int tokens, int most) {
  return engine.cache_bytes(grown(cache, tokens, most));
}

}  // namespace outrider::engine
