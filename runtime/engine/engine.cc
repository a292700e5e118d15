#include "runtime/engine/engine.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/engine/cpu/forward_pass.h"
#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/machine.h"

namespace outrider::engine {
namespace {

int checked_threads(int threads) {
  if (threads == 0) return physical_cores();
  if (threads < 1 || threads > kMostThreads)
    throw InputError(fmt::format("--threads: found {}, expected 0 (the physical cores) to {}",
                                 threads, kMostThreads));
  return threads;
}

void check_shape(const model::Model& model) {
  const auto require = [&](int value, int multiple, const char* what) {
    if (value % multiple != 0)
      throw InputError(fmt::format("{}: {} is {}, and this engine takes multiples of {} only",
                                   model.path.string(), what, value, multiple));
  };
  require(model.config.head_width, 32, "the head width");
  require(model.config.rotary_width, 32, "the rotated part of a head");
  require(model.config.width, 32, "the embedding width");
  require(model.config.ffn_width, 32, "the feed-forward width");
}

}  // namespace

class Engine::Impl {
 public:
  Impl(const model::Model& model, const EngineOptions& options)
      : model_(model),
        kernels_(kernels_for(options.isa)),
        team_(checked_threads(options.threads)),
        plan_(plan_numerics(model, options.numerics, options.quantise, options.kv)),
        weights_(std::make_shared<PreparedWeights>(model, plan_, team_, options.on_packed)),
        pass_(model, *weights_, kernels_, plan_.quantised(), team_) {}

  Impl(const Impl& other, int threads, const Kernels& kernels)
      : model_(other.model_),
        kernels_(kernels),
        team_(checked_threads(threads)),
        plan_(other.plan_),
        weights_(other.weights_),
        pass_(model_, *weights_, kernels_, plan_.quantised(), team_) {}

  const model::ModelConfig& config() const { return model_.config; }
  int threads() const { return team_.size(); }
  const NumericsPlan& plan() const { return plan_; }
  const Kernels& kernels() const { return kernels_; }
  std::int64_t weight_bytes() const { return static_cast<std::int64_t>(weights_->storage.size()); }
  void forward(Pass& pass) { pass_.run(pass); }
  void run_on_threads(const std::function<void(int)>& work) { team_.run(work); }

 private:
  const model::Model& model_;
  const Kernels& kernels_;
  ThreadTeam team_;
  NumericsPlan plan_;
  std::shared_ptr<const PreparedWeights> weights_;
  ForwardPass pass_;
};

Engine::Engine(const model::Model& model, const EngineOptions& options) {
  check_shape(model);
  impl_ = std::make_unique<Impl>(model, options);
}
Engine::Engine(const Engine& other, int threads)
    : impl_(std::make_unique<Impl>(*other.impl_, threads, other.impl_->kernels())) {}
Engine::Engine(const Engine& other, int threads, const Kernels& kernels)
    : impl_(std::make_unique<Impl>(*other.impl_, threads, kernels)) {}
Engine::~Engine() = default;

const model::ModelConfig& Engine::config() const { return impl_->config(); }
int Engine::threads() const { return impl_->threads(); }
std::string Engine::numerics_name() const { return impl_->plan().name(); }
std::string Engine::isa_name() const { return impl_->kernels().name; }
KvCache Engine::make_cache(int capacity) const { return {config(), capacity, impl_->plan().kv}; }
std::int64_t Engine::cache_bytes(int tokens) const {
  return KvCache::bytes(config(), tokens, impl_->plan().kv);
}
std::int64_t Engine::weight_bytes() const { return impl_->weight_bytes(); }
void Engine::forward(Pass& pass) { impl_->forward(pass); }
void Engine::run_on_threads(const std::function<void(int)>& work) { impl_->run_on_threads(work); }

}  // namespace outrider::engine
