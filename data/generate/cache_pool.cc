#include "data/generate/cache_pool.h"

#include <algorithm>

namespace outrider::data {
namespace {

// Capacities are multiples of this, so that sequences of about the same length can follow each other.
constexpr int kGrain = 128;

int padded(int capacity) { return (capacity + kGrain - 1) / kGrain * kGrain; }

}  // namespace

std::unique_ptr<engine::KvCache> CachePool::take(int capacity) {
  const auto fits = std::find_if(waiting_.begin(), waiting_.end(),
                                 [&](const auto& cache) { return cache->capacity() >= capacity; });
  if (fits != waiting_.end()) {
    std::unique_ptr<engine::KvCache> cache = std::move(*fits);
    waiting_.erase(fits);
    cache->truncate(0);
    return cache;
  }
  if (!waiting_.empty()) waiting_.pop_back();
  return std::make_unique<engine::KvCache>(engine_.make_cache(padded(capacity)));
}

void CachePool::give_back(std::unique_ptr<engine::KvCache> cache) {
  const auto place = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& other) {
    return other->capacity() >= cache->capacity();
  });
  waiting_.insert(place, std::move(cache));
}

}  // namespace outrider::data
