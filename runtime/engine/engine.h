#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/engine/kv_cache.h"
#include "runtime/engine/numerics.h"
#include "runtime/engine/pass.h"
#include "runtime/model/model.h"

namespace outrider::engine {

struct Kernels;

enum class Isa { kAuto, kScalar, kAvx2, kAvx512, kAmx };

/// More threads than this are taken for a mistake.
inline constexpr int kMostThreads = 256;

struct EngineOptions {
  Numerics numerics = Numerics::kAuto;
  Isa isa = Isa::kAuto;
  int threads = 0;                // 0: the physical cores
  bool quantise = false;          // float weights to Q8_0 at load
  std::optional<KvType> kv = {};  // nothing: what is usual for the numerics
  /// Told while the weights are packed how many bytes of how many are done.
  std::function<void(std::int64_t, std::int64_t)> on_packed = {};
};

/// The target's forward pass on the CPU. Row-pure: the bits of a row's logits and taps are a
/// function of its token, its position, the tokens on its path and the weights only.
class Engine {
 public:
  /// Repacks the weights. `model` must outlive the engine.
  /// @throws InputError for a shape that the kernels do not take, an instruction set that this
  ///         processor lacks, or a number of threads out of range
  Engine(const model::Model& model, const EngineOptions& options);
  /// An engine of another number of threads, and with other kernels, over the same packed weights.
  Engine(const Engine& other, int threads);
  Engine(const Engine& other, int threads, const Kernels& kernels);
  ~Engine();

  const model::ModelConfig& config() const;
  int threads() const;
  /// Names of the numerics and of the instruction set in use.
  std::string numerics_name() const;
  std::string isa_name() const;
  KvCache make_cache(int capacity) const;
  /// What the keys and values of so many tokens take.
  std::int64_t cache_bytes(int tokens) const;
  /// Bytes of packed weights that a pass reads, those of the logits included.
  std::int64_t weight_bytes() const;

  /// Writes the rows' keys and values behind each sequence's committed slots and fills
  /// `pass.logits` and `pass.observed`. Nothing is committed.
  void forward(Pass& pass);

  /// Calls work(thread) on each of the engine's threads, between passes, and returns when all are
  /// done: a second team beside it would spin on cores that this one needs. `work` must not throw.
  void run_on_threads(const std::function<void(int)>& work);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace outrider::engine
