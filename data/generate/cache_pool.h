#pragma once

#include <memory>
#include <vector>

#include "runtime/engine/engine.h"

namespace outrider::data {

/// KV caches that wait for their next sequence, so that memory is asked for once and stays flat.
class CachePool {
 public:
  explicit CachePool(const engine::Engine& engine) : engine_(engine) {}

  /// An empty cache of at least this capacity: the smallest that waits and is large enough, or else
  /// a new one in place of the largest that waits.
  std::unique_ptr<engine::KvCache> take(int capacity);
  void give_back(std::unique_ptr<engine::KvCache> cache);

 private:
  const engine::Engine& engine_;
  std::vector<std::unique_ptr<engine::KvCache>> waiting_;  // ascending capacity
};

}  // namespace outrider::data
