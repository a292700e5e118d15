#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/engine/engine.h"

namespace outrider::test {

/// An engine that notes how many rows each pass of another one had.
class CountingEngine : public engine::Engine {
 public:
  /// @param engine  must outlive this one
  explicit CountingEngine(engine::Engine& engine) : engine_(&engine, [](engine::Engine*) {}) {}
  explicit CountingEngine(std::shared_ptr<engine::Engine> engine) : engine_(std::move(engine)) {}

  const model::ModelConfig& config() const override { return engine_->config(); }
  int num_logits() const override { return engine_->num_logits(); }
  const engine::Place& place() const override { return engine_->place(); }
  int workers() const override { return engine_->workers(); }
  std::string numerics_name() const override { return engine_->numerics_name(); }
  std::int64_t weight_bytes() const override { return engine_->weight_bytes(); }
  std::unique_ptr<engine::KvCache> make_cache(int capacity) const override {
    return engine_->make_cache(capacity);
  }
  std::int64_t cache_bytes(int tokens) const override { return engine_->cache_bytes(tokens); }
  std::optional<std::int64_t> free_bytes_elsewhere() const override {
    return engine_->free_bytes_elsewhere();
  }
  void embed(Token token, std::span<float> state) const override { engine_->embed(token, state); }
  void forward(engine::Pass& pass) override {
    rows.push_back(static_cast<int>(pass.rows.size()));
    engine_->forward(pass);
  }
  void run_on_threads(const std::function<void(int)>& work) override {
    engine_->run_on_threads(work);
  }
  std::unique_ptr<Engine> beside(const model::Model& model,
                                 const engine::EngineOptions& options) const override {
    return engine_->beside(model, options);
  }
  std::unique_ptr<Engine> with_workers(int threads) const override {
    return engine_->with_workers(threads);
  }
  std::vector<engine::Variant> variants() const override { return engine_->variants(); }
  engine::Variant variant(const std::string& name) const override { return engine_->variant(name); }
  const engine::ScoreKernels& score_kernels() const override { return engine_->score_kernels(); }

  std::vector<int> rows;  // of each pass

 protected:
  engine::Engine& counted() const { return *engine_; }

 private:
  std::shared_ptr<engine::Engine> engine_;
};

}  // namespace outrider::test
