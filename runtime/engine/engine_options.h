#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "runtime/engine/device_choice.h"
#include "runtime/engine/numerics.h"

namespace outrider::engine {

enum class Isa { kAuto, kScalar, kAvx2, kAvx512, kAmx };

/// A larger number of threads is taken for a mistake.
inline constexpr int kMostThreads = 256;

struct EngineOptions {
  DeviceChoice device = {};
  Numerics numerics = Numerics::kAuto;
  Isa isa = Isa::kAuto;
  int threads =
      0;  // of a processor, 0: as default_threads; of a GPU: 1: one warp finds the integer products of a panel
  bool quantise = false;          // float weights to Q8_0 at load
  std::optional<KvType> kv = {};  // nothing: the default for the numerics
  /// Its texts are drafts only: rows that the cache cannot hold are bad drafts, and no error.
  bool for_drafts = false;
  /// Called while the weights are packed with the bytes done and the total.
  std::function<void(std::int64_t, std::int64_t)> on_packed = {};
};

}  // namespace outrider::engine
