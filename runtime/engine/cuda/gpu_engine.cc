#include "runtime/engine/cuda/gpu_engine.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cuda/cuda_engine.h"
#include "runtime/engine/cuda/cuda_row_reader.h"
#include "runtime/engine/machine.h"
#include "runtime/engine/model_shape.h"
#include "runtime/model/finite_weights.h"

namespace outrider::engine::cuda {
namespace {

/// What a pass of a prompt's part has.
constexpr int kUsualRows = 512;

/// Multiprocessors that share a product: all, or one.
int workers_of(const EngineOptions& options, const Device& device) {
  return options.threads == 1 ? 1 : device.multiprocessors();
}

/// Bytes of keys and values, and between the steps of passes, that a model needs besides its weights.
std::int64_t bytes_of_texts(const model::ModelConfig& config, const EngineOptions& options,
                            KvType kv) {
  const int asked = options.cache_tokens > 0 ? options.cache_tokens : EngineOptions::kUsualTokens;
  const int tokens = std::min(asked, config.context);
  const int splits = (tokens + kSplit - 1) / kSplit;
  return CudaKvCache::bytes(config, tokens, kv) +
         PassBuffers::bytes(config, std::min(kUsualRows, tokens), splits);
}

/// "sm_90" of a card's "9.0".
std::string unit_of(std::string capability) {
  const std::size_t dot = capability.find('.');
  return dot == std::string::npos ? capability : "sm_" + capability.erase(dot, 1);
}

/// @throws InputError for a model that the kernels do not take
const model::Model& checked(const model::Model& model) {
  if (const std::string lacking = lacking_on_gpu(model); !lacking.empty())
    throw InputError(fmt::format("{}: has {}, which is not supported on a GPU; use --device cpu",
                                 model.path.string(), lacking));
  return checked_shape(model);
}

}  // namespace

GpuEngine::GpuEngine(std::shared_ptr<Gpu> gpu, const model::Model& model,
                     const EngineOptions& options)
    : GpuEngine(std::move(gpu), std::make_shared<ThreadTeam>(default_threads()), model, options) {}

GpuEngine::GpuEngine(std::shared_ptr<Gpu> gpu, std::shared_ptr<ThreadTeam> team,
                     const model::Model& model, const EngineOptions& options)
    : gpu_(std::move(gpu)),
      team_(std::move(team)),
      model_(checked(model)),
      place_{Place::Kind::kGpu, gpu_->device->name(), unit_of(gpu_->device->capability())},
      workers_(workers_of(options, *gpu_->device)),
      plan_(plan_of(model, options)),
      weights_(std::make_shared<CudaWeights>(*gpu_->device, model, plan_, *team_, options.on_packed,
                                             bytes_of_texts(model.config, options, plan_.kv))),
      forward_(gpu_, model_, weights_, plan_, workers_ > 1) {}

GpuEngine::GpuEngine(const GpuEngine& other, int workers)
    : gpu_(other.gpu_),
      team_(other.team_),
      model_(other.model_),
      place_(other.place_),
      workers_(workers),
      plan_(other.plan_),
      weights_(other.weights_),
      forward_(gpu_, model_, weights_, plan_, workers_ > 1) {}

std::unique_ptr<KvCache> GpuEngine::make_cache(int capacity) const {
  return std::make_unique<CudaKvCache>(gpu_, model_.config, capacity, plan_.kv);
}

std::int64_t GpuEngine::cache_bytes(int tokens) const {
  return CudaKvCache::bytes(model_.config, tokens, plan_.kv);
}

std::unique_ptr<Engine> GpuEngine::beside(const model::Model& model,
                                          const EngineOptions& options) const {
  model::check_finite(model, options.on_read);
  if (options.isa != Isa::kAuto)
    throw InputError(fmt::format("--isa: expected auto beside a model on {}", place_.name));
  if (options.threads != 0 && options.threads != 1 && options.threads != workers_)
    throw std::logic_error(fmt::format("an engine of {} workers cannot be beside one of {}",
                                       options.threads, workers_));
  EngineOptions shared = options;
  if (options.threads == 0) shared.threads = workers_;
  return std::unique_ptr<Engine>(new GpuEngine(gpu_, team_, model, shared));
}

std::unique_ptr<Engine> GpuEngine::with_workers(int workers) const {
  return std::unique_ptr<Engine>(new GpuEngine(*this, workers));
}

std::vector<Variant> GpuEngine::variants() const { return {variant(variant_name())}; }

/// As --device takes it.
std::string GpuEngine::variant_name() const {
  return place_.unit == "emulated" ? "cuda-emulated" : "cuda";
}

Variant GpuEngine::variant(const std::string& name) const {
  if (name != variant_name())
    throw InputError(fmt::format("the variant '{}': expected {}", name, variant_name()));
  return {name, [this](int workers) { return with_workers(workers); }};
}

std::unique_ptr<RowReader> GpuEngine::make_row_reader(const RowReaderOptions& options) {
  return std::make_unique<CudaRowReader>(gpu_, num_logits(), options);
}

std::unique_ptr<AheadReader> GpuEngine::make_ahead_reader(const RowReaderOptions& options) {
  const model::ModelConfig& config = model_.config;
  // States that are neither an embedding nor one beside the model's own state are made on the host, and so is the check of
  // rows that are committed.
  const bool reads_other_states =
      config.state_inputs > 0 && config.state_inputs != 2 * config.width;
  if (!plan_.for_drafts || reads_other_states || config.positions == model::Positions::kLearned)
    return nullptr;
  if (embedding_ == nullptr) {
    if (gpu_->device->memory().free_bytes < 2 * DraftedEmbedding::bytes(model_)) return nullptr;
    embedding_ = std::make_shared<const DraftedEmbedding>(*gpu_->device, model_);
  }
  return std::make_unique<CudaAheadReader>(gpu_, forward_, embedding_, num_logits(), options);
}

const ScoreKernels& GpuEngine::score_kernels() const { return cpu::kernels_for(Isa::kAuto).score; }

}  // namespace outrider::engine::cuda
