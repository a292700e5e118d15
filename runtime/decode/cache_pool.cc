#include "runtime/decode/cache_pool.h"

#include <algorithm>

namespace outrider::decode {
namespace {

// Capacities are multiples of this, so that sequences of similar length can reuse each other's
// caches.
constexpr int kGrain = 128;

}  // namespace

int CachePool::padded(int capacity) { return (capacity + kGrain - 1) / kGrain * kGrain; }

std::unique_ptr<engine::KvCache> CachePool::take(int capacity) {
  const int needed = padded(capacity);
  const auto suits = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& cache) {
    return cache->capacity() >= needed && cache->capacity() <= needed + needed / 4 + kGrain;
  });
  std::unique_ptr<engine::KvCache> cache;
  if (suits != waiting_.end()) {
    cache = std::move(*suits);
    waiting_.erase(suits);
    cache->truncate(0);
  } else {
    waiting_.clear();
    cache = engine_.make_cache(needed);
  }
  tokens_out_ += cache->capacity();
  return cache;
}

void CachePool::give_back(std::unique_ptr<engine::KvCache> cache) {
  tokens_out_ -= cache->capacity();
  waiting_.push_back(std::move(cache));
}

}  // namespace outrider::decode
