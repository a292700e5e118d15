#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/engine/cpu/forward_pass.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/prepared_weights.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/model_shape.h"
#include "runtime/engine/thread_team.h"

namespace outrider::engine::cpu {

/// The forward pass on the processor. Its variants are the instruction sets.
class CpuEngine final : public Engine {
 public:
  /// An engine as of make_engine.
  CpuEngine(const model::Model& model, const EngineOptions& options);
  /// An engine with another number of threads and these kernels over the same packed weights.
  CpuEngine(const CpuEngine& other, int threads, const Kernels& kernels);

  const model::ModelConfig& config() const override { return model_.config; }
  int num_logits() const override { return static_cast<int>(model_.head.rows); }
  const Place& place() const override { return place_; }
  int workers() const override { return team_->size(); }
  std::string numerics_name() const override { return plan_.name(); }
  std::int64_t weight_bytes() const override;
  std::unique_ptr<KvCache> make_cache(int capacity) const override;
  std::int64_t cache_bytes(int tokens) const override;
  void embed(Token token, std::span<float> state) const override {
    embed_token(model_, token, state);
  }
  void forward(Pass& pass) override { pass_.run(pass); }
  void run_on_threads(const std::function<void(int)>& work) override { team_->run(work); }
  std::unique_ptr<Engine> beside(const model::Model& model,
                                 const EngineOptions& options) const override;
  std::unique_ptr<Engine> with_workers(int workers) const override;
  std::vector<Variant> variants() const override;
  Variant variant(const std::string& name) const override;
  const ScoreKernels& score_kernels() const override { return kernels_.score; }

 private:
  CpuEngine(const model::Model& model, const EngineOptions& options, const Kernels& kernels,
            std::shared_ptr<ThreadTeam> team);

  Variant variant_of(const Kernels& kernels) const;

  const model::Model& model_;
  const Kernels& kernels_;
  std::shared_ptr<ThreadTeam> team_;
  Place place_;
  NumericsPlan plan_;
  std::shared_ptr<const PreparedWeights> weights_;
  ForwardPass pass_;
};

}  // namespace outrider::engine::cpu
