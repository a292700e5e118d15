#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/engine/engine.h"

namespace outrider::data {

/// KV caches, handed on from one sequence to the next where they are about as large as it needs, so
/// that memory neither grows by long sequences nor is asked for anew all the time.
class CachePool {
 public:
  explicit CachePool(const engine::Engine& engine) : engine_(engine) {}

  /// An empty cache of at least this capacity.
  std::unique_ptr<engine::KvCache> take(int capacity);
  void give_back(std::unique_ptr<engine::KvCache> cache);
  /// Tokens that the caches handed out have room for.
  std::int64_t tokens_out() const { return tokens_out_; }

 private:
  const engine::Engine& engine_;
  std::vector<std::unique_ptr<engine::KvCache>> waiting_;
  std::int64_t tokens_out_ = 0;
};

}  // namespace outrider::data
