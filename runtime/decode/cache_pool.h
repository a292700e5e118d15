#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/engine/engine.h"

namespace outrider::decode {

/// KV caches, reused by the next sequence where their size is similar, so that long sequences do
/// not make memory grow and allocations are rare.
class CachePool {
 public:
  explicit CachePool(const engine::Engine& engine) : engine_(engine) {}

  /// The capacity of the cache that `take` makes.
  static int padded(int capacity);

  /// An empty cache of at least this capacity.
  std::unique_ptr<engine::KvCache> take(int capacity);
  void give_back(std::unique_ptr<engine::KvCache> cache);
  /// The total capacity, in tokens, of the caches in use.
  std::int64_t tokens_out() const { return tokens_out_; }

 private:
  const engine::Engine& engine_;
  std::vector<std::unique_ptr<engine::KvCache>> waiting_;
  std::int64_t tokens_out_ = 0;
};

}  // namespace outrider::decode
