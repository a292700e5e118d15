#include "runtime/engine/grow_cache.h"

#include <algorithm>
#include <utility>

namespace outrider::engine {

bool grow_cache(const Engine& engine, std::unique_ptr<KvCache>& cache, int tokens, int most) {
  const int needed = std::min(tokens, most);
  if (needed <= cache->capacity()) return false;
  auto larger = engine.make_cache(std::min(std::max(needed, cache->capacity() / 2 * 3), most));
  larger->copy_prefix(*cache, cache->length());
  cache = std::move(larger);
  return true;
}

}  // namespace outrider::engine
