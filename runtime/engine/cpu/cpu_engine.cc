#include "runtime/engine/cpu/cpu_engine.h"

#include <fmt/core.h>

#include <stdexcept>

#include "runtime/base/error.h"
#include "runtime/engine/cpu/cpu_kv_cache.h"
#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/engine_names.h"
#include "runtime/engine/machine.h"
#include "runtime/engine/model_shape.h"
#include "runtime/model/finite_weights.h"

namespace outrider::engine::cpu {
namespace {

std::shared_ptr<ThreadTeam> new_team(int threads) {
  if (threads == 0) threads = default_threads();
  if (threads < 1 || threads > kMostThreads)
    throw InputError(fmt::format("--threads: found {}, expected 0 (the physical cores) to {}",
                                 threads, kMostThreads));
  return std::make_shared<ThreadTeam>(threads);
}

/// The team, or a new one of the caller's thread alone.
std::shared_ptr<ThreadTeam> team_beside(const std::shared_ptr<ThreadTeam>& team, int threads) {
  if (threads == 0 || threads == team->size()) return team;
  if (threads == 1) return new_team(1);
  throw std::logic_error(
      fmt::format("an engine of {} threads cannot be beside one of {}", threads, team->size()));
}

}  // namespace

CpuEngine::CpuEngine(const model::Model& model, const EngineOptions& options)
    : CpuEngine(model, options, kernels_for(options.isa), new_team(options.threads)) {}

CpuEngine::CpuEngine(const model::Model& model, const EngineOptions& options,
                     const Kernels& kernels, std::shared_ptr<ThreadTeam> team)
    : model_(checked_shape(model)),
      kernels_(kernels),
      team_(std::move(team)),
      place_{Place::Kind::kProcessor, machine_name(), kernels.name},
      plan_(plan_of(model, options)),
      weights_(std::make_shared<PreparedWeights>(model, plan_, *team_, options.on_packed)),
      pass_(model, *weights_, kernels_, plan_, *team_) {}

CpuEngine::CpuEngine(const CpuEngine& other, int threads, const Kernels& kernels)
    : model_(other.model_),
      kernels_(kernels),
      team_(new_team(threads)),
      place_{Place::Kind::kProcessor, other.place_.name, kernels.name},
      plan_(other.plan_),
      weights_(other.weights_),
      pass_(model_, *weights_, kernels_, plan_, *team_) {}

std::int64_t CpuEngine::weight_bytes() const {
  return static_cast<std::int64_t>(weights_->storage.size());
}

std::unique_ptr<KvCache> CpuEngine::make_cache(int capacity) const {
  return std::make_unique<CpuKvCache>(model_.config, capacity, plan_.kv);
}

std::int64_t CpuEngine::cache_bytes(int tokens) const {
  return CpuKvCache::bytes(model_.config, tokens, plan_.kv);
}

std::unique_ptr<Engine> CpuEngine::beside(const model::Model& model,
                                          const EngineOptions& options) const {
  model::check_finite(model, options.on_read);
  const Kernels& kernels = options.isa == Isa::kAuto ? kernels_ : kernels_for(options.isa);
  return std::unique_ptr<Engine>(
      new CpuEngine(model, options, kernels, team_beside(team_, options.threads)));
}

std::unique_ptr<Engine> CpuEngine::with_workers(int workers) const {
  return std::make_unique<CpuEngine>(*this, workers, kernels_);
}

Variant CpuEngine::variant_of(const Kernels& kernels) const {
  return {kernels.name, [this, &kernels](int workers) {
            return std::make_unique<CpuEngine>(*this, workers, kernels);
          }};
}

std::vector<Variant> CpuEngine::variants() const {
  std::vector<Variant> variants;
  for (const Kernels* kernels : available_kernels()) variants.push_back(variant_of(*kernels));
  return variants;
}

Variant CpuEngine::variant(const std::string& name) const {
  return variant_of(kernels_for(isa_of(name)));
}

}  // namespace outrider::engine::cpu
