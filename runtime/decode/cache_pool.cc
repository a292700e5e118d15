#include "runtime/decode/cache_pool.h"

#include <algorithm>

namespace outrider::decode {

int CachePool::padded(int capacity) { return (capacity + kGrain - 1) / kGrain * kGrain; }

std::unique_ptr<engine::KvCache> CachePool::take(int capacity, std::int64_t most) {
  const int needed = padded(capacity);
  const auto largest = std::min<std::int64_t>(most, needed + needed / 4 + kGrain);
  const auto suits = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& cache) {
    return cache->capacity() >= needed && cache->capacity() <= largest;
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

void CachePool::keep_waiting(std::int64_t most_tokens) {
  std::int64_t tokens = 0;
  for (const auto& cache : waiting_) tokens += cache->capacity();
  while (!waiting_.empty() && tokens > most_tokens) {
    tokens -= waiting_.back()->capacity();
    waiting_.pop_back();
  }
}

}  // namespace outrider::decode
