#include "runtime/engine/cpu/cpu_engine.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/engine/cpu/cpu_kv_cache.h"
#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/machine.h"

namespace outrider::engine::cpu {
namespace {

int checked_threads(int threads) {
  if (threads == 0) return physical_cores();
  if (threads < 1 || threads > kMostThreads)
    throw InputError(fmt::format("--threads: found {}, expected 0 (the physical cores) to {}",
                                 threads, kMostThreads));
  return threads;
}

const model::Model& checked_shape(const model::Model& model) {
  const auto require = [&](int value, int multiple, const char* what) {
    if (value % multiple != 0)
      throw InputError(fmt::format("{}: {} is {}, and this engine takes multiples of {} only",
                                   model.path.string(), what, value, multiple));
  };
  require(model.config.head_width, 32, "the head width");
  require(model.config.rotary_width, 32, "the rotated part of a head");
  require(model.config.width, 32, "the embedding width");
  require(model.config.ffn_width, 32, "the feed-forward width");
  return model;
}

}  // namespace

CpuEngine::CpuEngine(const model::Model& model, const EngineOptions& options)
    : model_(checked_shape(model)),
      kernels_(kernels_for(options.isa)),
      team_(checked_threads(options.threads)),
      plan_(plan_numerics(model, options.numerics, options.quantise, options.kv)),
      weights_(std::make_shared<PreparedWeights>(model, plan_, team_, options.on_packed)),
      pass_(model, *weights_, kernels_, plan_, team_) {}

CpuEngine::CpuEngine(const CpuEngine& other, int threads, const Kernels& kernels)
    : model_(other.model_),
      kernels_(kernels),
      team_(checked_threads(threads)),
      plan_(other.plan_),
      weights_(other.weights_),
      pass_(model_, *weights_, kernels_, plan_, team_) {}

std::int64_t CpuEngine::weight_bytes() const {
  return static_cast<std::int64_t>(weights_->storage.size());
}

std::unique_ptr<KvCache> CpuEngine::make_cache(int capacity) const {
  return std::make_unique<CpuKvCache>(model_.config, capacity, plan_.kv);
}

std::int64_t CpuEngine::cache_bytes(int tokens) const {
  return CpuKvCache::bytes(model_.config, tokens, plan_.kv);
}

std::unique_ptr<Engine> CpuEngine::with_threads(int threads) const {
  return std::make_unique<CpuEngine>(*this, threads, kernels_);
}

std::vector<Variant> CpuEngine::variants() const {
  std::vector<Variant> variants;
  for (const Kernels* kernels : available_kernels())
    variants.push_back({kernels->name, [this, kernels](int threads) {
                          return std::make_unique<CpuEngine>(*this, threads, *kernels);
                        }});
  return variants;
}

}  // namespace outrider::engine::cpu
