#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "runtime/engine/numerics.h"
#include "runtime/engine/thread_team.h"

namespace outrider::engine {

enum class Isa { kAuto, kScalar, kAvx2, kAvx512, kAmx };

/// A larger number of threads is taken for a mistake.
inline constexpr int kMostThreads = 256;

struct EngineOptions {
  Numerics numerics = Numerics::kAuto;
  Isa isa = Isa::kAuto;
  int threads = 0;                // 0: as default_threads
  bool quantise = false;          // float weights to Q8_0 at load
  std::optional<KvType> kv = {};  // nothing: the default for the numerics
  /// The team of another engine to share: two teams would spin on each other's cores. Passes of the
  /// engines then take turns. Null: a new team of `threads`.
  std::shared_ptr<ThreadTeam> team = {};
  /// Called while the weights are packed with the bytes done and the total.
  std::function<void(std::int64_t, std::int64_t)> on_packed = {};
};

}  // namespace outrider::engine
