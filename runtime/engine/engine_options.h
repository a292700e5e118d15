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
  /// Of a processor, 0: as default_threads. Of a GPU, 1: one warp finds the integer products of a panel; any other
  /// number: several, as its multiprocessors allow.
  int threads = 0;
  bool quantise = false;          // float weights to Q8_0 at load
  std::optional<KvType> kv = {};  // nothing: the default for the numerics
  /// Its texts are drafts only: rows that the cache cannot hold are bad drafts, and no error.
  bool for_drafts = false;
  /// Called while the weights are read once to check them, and then packed, with the bytes done and the total.
  std::function<void(std::int64_t, std::int64_t)> on_read = {};
  std::function<void(std::int64_t, std::int64_t)> on_packed = {};
  /// Of a GPU: tokens whose keys and values need room beside the weights; 0: kUsualTokens, or the model's context.
  int cache_tokens = 0;

  static constexpr int kUsualTokens = 4096;
};

/// @throws InputError as plan_numerics
inline NumericsPlan plan_of(const model::Model& model, const EngineOptions& options) {
  NumericsPlan plan = plan_numerics(model, options.numerics, options.quantise, options.kv);
  plan.for_drafts = options.for_drafts;
  return plan;
}

}  // namespace outrider::engine
