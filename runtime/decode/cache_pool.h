#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "runtime/engine/engine.h"

namespace outrider::decode {

/// KV caches, reused by the next sequence where their size is similar, so that long sequences do
/// not make memory grow and allocations are rare.
class CachePool {
 public:
  explicit CachePool(const engine::Engine& engine) : engine_(engine) {}

  // Capacities are multiples of this, so that sequences of similar length can reuse each other's caches.
  static constexpr int kGrain = 128;
  /// The capacity of the cache that `take` makes.
  static int padded(int capacity);

  /// An empty cache of at least this capacity.
  /// @param most  capacity of one that is reused
  std::unique_ptr<engine::KvCache> take(int capacity,
                                        std::int64_t most = std::numeric_limits<int>::max());
  void give_back(std::unique_ptr<engine::KvCache> cache);
  /// The total capacity, in tokens, of the caches in use.
  std::int64_t tokens_out() const { return tokens_out_; }
  /// Frees caches that wait for their next use, until they have room for so many tokens at most.
  void keep_waiting(std::int64_t most_tokens);

 private:
  const engine::Engine& engine_;
  std::vector<std::unique_ptr<engine::KvCache>> waiting_;
  std::int64_t tokens_out_ = 0;
};

}  // namespace outrider::decode
