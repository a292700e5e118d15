#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/engine/cuda/cuda_ahead_reader.h"
#include "runtime/engine/cuda/cuda_forward.h"
#include "runtime/engine/cuda/cuda_kv_cache.h"
#include "runtime/engine/cuda/cuda_weights.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/model_shape.h"
#include "runtime/engine/thread_team.h"

namespace outrider::engine::cuda {

/// The forward pass on a device, real or emulated. Its bits are the processor's.
class GpuEngine final : public Engine {
 public:
  /// An engine as of make_engine.
  /// @throws ModelTooLarge where the device has no room for the weights, and for texts besides
  GpuEngine(std::shared_ptr<Gpu> gpu, const model::Model& model, const EngineOptions& options);

  const model::ModelConfig& config() const override { return model_.config; }
  int num_logits() const override { return static_cast<int>(model_.head.rows); }
  const Place& place() const override { return place_; }
  int workers() const override { return workers_; }
  std::string numerics_name() const override { return plan_.name(); }
  std::int64_t weight_bytes() const override {
    return weights_->bytes + (embedding_ == nullptr ? 0 : DraftedEmbedding::bytes(model_));
  }
  std::unique_ptr<KvCache> make_cache(int capacity) const override;
  std::int64_t cache_bytes(int tokens) const override;
  std::optional<std::int64_t> free_bytes_elsewhere() const override {
    return gpu_->device->memory().free_bytes;
  }
  void embed(Token token, std::span<float> state) const override {
    embed_token(model_, token, state);
  }
  void forward(Pass& pass) override { forward_.run(pass); }
  void run_on_threads(const std::function<void(int)>& work) override { team_->run(work); }
  std::unique_ptr<Engine> beside(const model::Model& model,
                                 const EngineOptions& options) const override;
  std::unique_ptr<Engine> with_workers(int workers) const override;
  std::vector<Variant> variants() const override;
  Variant variant(const std::string& name) const override;
  std::unique_ptr<RowReader> make_row_reader(const RowReaderOptions& options) override;
  std::unique_ptr<AheadReader> make_ahead_reader(const RowReaderOptions& options) override;
  const ScoreKernels& score_kernels() const override;

 private:
  GpuEngine(std::shared_ptr<Gpu> gpu, std::shared_ptr<ThreadTeam> team, const model::Model& model,
            const EngineOptions& options);
  GpuEngine(const GpuEngine& other, int workers);
  std::string variant_name() const;

  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<ThreadTeam> team_;
  const model::Model& model_;
  Place place_;
  int workers_;
  NumericsPlan plan_;
  std::shared_ptr<const CudaWeights> weights_;
  CudaForward forward_;
  std::shared_ptr<const DraftedEmbedding> embedding_;  // once chains are drafted
};

}  // namespace outrider::engine::cuda
