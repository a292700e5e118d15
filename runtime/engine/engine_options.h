#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "runtime/engine/numerics.h"
#include "runtime/engine/thread_team.h"

namespace outrider::engine {

enum class Isa { kAuto, kScalar, kAvx2, kAvx512, kAmx };

/// More threads than this are taken for a mistake.
inline constexpr int kMostThreads = 256;

struct EngineOptions {
  Numerics numerics = Numerics::kAuto;
  Isa isa = Isa::kAuto;
  int threads = 0;                // 0: as default_threads
  bool quantise = false;          // float weights to Q8_0 at load
  std::optional<KvType> kv = {};  // nothing: what is usual for the numerics
  /// The threads of another engine, to be shared: two teams would spin on each other's cores. Their passes
  /// then take turns. Nothing: `threads` new ones.
  std::shared_ptr<ThreadTeam> team = {};
  /// Told while the weights are packed how many bytes of how many are done.
  std::function<void(std::int64_t, std::int64_t)> on_packed = {};
};

}  // namespace outrider::engine
