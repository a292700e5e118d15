#include "runtime/engine/cuda/cuda_forward.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/engine/cpu/alibi.h"
#include "runtime/engine/model_shape.h"

namespace outrider::engine::cuda {
namespace {

std::size_t size(int i) { return static_cast<std::size_t>(i); }

DeviceBuffer<float> slopes_of(Device& device, const model::ModelConfig& config) {
  if (config.positions != model::Positions::kAlibi) return {};
  const std::vector<float> slopes = cpu::alibi_slopes(config.heads);
  DeviceBuffer<float> copied(device, slopes);
  device.synchronise();
  return copied;
}

}  // namespace

CudaForward::CudaForward(std::shared_ptr<Gpu> gpu, const model::Model& model,
                         std::shared_ptr<const CudaWeights> weights, const NumericsPlan& plan,
                         bool spread)
    : gpu_(std::move(gpu)),
      model_(model),
      config_(model.config),
      weights_(std::move(weights)),
      kv_(plan.kv),
      kv_bound_(plan.kv_bound()),
      shape_(head_shape(config_, kv_)),
      spread_(spread),
      rope_(config_),
      slopes_(slopes_of(*gpu_->device, config_)),
      buffers_(*gpu_->device, config_),
      taps_(*gpu_->device, config_),
      graphs_(*gpu_->device) {}

void CudaForward::run(Pass& pass) {
  if (pass.rows.empty()) return;
  StepClock clock(pass.times);
  prepare(pass);
  clock.lap(Step::kEmbed);
  const PassForm form{rows_, static_cast<int>(logit_rows_.size()), splits_, logits_->data(),
                      pass.request};
  gpu_->device->copy_to(inputs_.device.data(), inputs_.host.span().data(), inputs_.bytes);
  graphs_.run(form, [&] {
    launch();
    taps_.copy_to_host();
  });
  take_results(pass);
  clock.lap(Step::kWait);
}

void CudaForward::find_caches(const Pass& pass) {
  caches_.clear();
  for (KvCache* cache : pass.sequences) {
    auto* const mine = dynamic_cast<CudaKvCache*>(cache);
    if (mine == nullptr || mine->type() != kv_ || !mine->fits(*gpu_, config_))
      throw std::logic_error("a pass: a sequence's cache was not made by this kind of engine");
    caches_.push_back(mine);
  }
}

void CudaForward::prepare(Pass& pass, const PathsAhead* paths) {
  find_caches(pass);
  layout_.assign(pass, config_.state_inputs > 0 ? 0 : config_.vocab, positions_of(config_));
  rows_ = static_cast<int>(pass.rows.size());
  first_row_ = 0;
  logit_rows_.clear();
  splits_ = 1;
  for (int i = 0; i < rows_; ++i) {
    if (pass.rows[size(i)].wants_logits) logit_rows_.push_back(i);
    splits_ = std::max(splits_, layout_[size(i)].position / kSplit + 1);
  }
  tiles_.find(pass, layout_, shape_);
  // A power of two, so that a longer text seldom changes the form of its passes.
  while ((splits_ & (splits_ - 1)) != 0) ++splits_;
  if (!buffers_.has_room(rows_, splits_)) forget_graphs();
  buffers_.reserve(rows_, splits_);
  if (taps_.begin(pass.request, rows_)) forget_graphs();
  if (too_large_.span().size() < size(rows_)) {
    forget_graphs();
    too_large_ = {*gpu_->device, size(rows_ + rows_ / 2)};
  }
  std::fill_n(too_large_.span().begin(), rows_, 0u);
  find_logits(pass);
  pass.observed.begin(pass.request, config_, rows_,
                      [this](const Observation& observed, int row, std::span<const Head> heads,
                             std::span<const int> positions,
                             float* out) { attend_at(observed, row, heads, positions, out); });
  for (int i = 0; i < rows_; ++i)
    pass.observed.set_row(i, layout_[size(i)].position, layout_[size(i)].number,
                          caches_[size(pass.rows[size(i)].sequence)]);

  const std::size_t state_width =
      size(config_.state_inputs > 0 ? config_.state_inputs : config_.width);
  const auto aligned = [](std::size_t bytes) { return (bytes + 15) / 16 * 16; };
  Inputs& in = inputs_;
  in.states = 0;
  in.angles = in.states + size(rows_) * state_width * sizeof(float);
  in.rows = aligned(in.angles + size(rows_) * size(config_.rotary_width) * sizeof(float));
  in.logit_rows = in.rows + size(rows_) * sizeof(PassRow);
  in.tiles = in.logit_rows + size(rows_) * sizeof(int);
  in.extra = in.tiles + tiles_.all().size() * sizeof(RowTile);
  std::size_t extra = paths == nullptr ? 0 : paths->size();
  for (int i = 0; i < rows_; ++i)
    extra = std::max(extra, layout_[size(i)].first_extra + size(layout_[size(i)].num_extra));
  in.bytes = in.extra + extra * sizeof(int);
  if (in.device.size() < in.bytes) {
    forget_graphs();
    gpu_->device->synchronise();
    in.device = {*gpu_->device, in.bytes + in.bytes / 2};
    in.host = {*gpu_->device, in.bytes + in.bytes / 2};
  }
  write_inputs(pass);
}

void CudaForward::forget_graphs() {
  graphs_.clear();
  ++moves_;
}

void CudaForward::find_logits(Pass& pass) {
  const std::size_t stride = size(weights_->head.num_panels) * 16;
  logits_ = std::dynamic_pointer_cast<CudaLogits>(pass.logits.elsewhere());
  // Of a pass that was copied, each has its own from now on.
  const bool is_shared = logits_.use_count() > 2;
  if (is_shared || (logits_ != nullptr && !logits_->is_of(*gpu_))) logits_ = nullptr;
  if (logits_ == nullptr) logits_ = std::make_shared<CudaLogits>(gpu_);
  logits_->begin(static_cast<int>(logit_rows_.size()), stride);
}

void CudaForward::write_inputs(const Pass& pass) {
  float* state = host_at<float>(inputs_.states);
  float* angles = host_at<float>(inputs_.angles);
  int* extra = host_at<int>(inputs_.extra);
  std::vector<float> learned(config_.positions == model::Positions::kLearned ? size(config_.width)
                                                                             : 0);
  for (int i = 0; i < rows_; ++i, angles += config_.rotary_width) {
    const Row& row = pass.rows[size(i)];
    const RowLayout& layout = layout_[size(i)];
    if (config_.state_inputs > 0) {
      state = std::copy_n(row.state, config_.state_inputs, state);
    } else {
      if (row.state == nullptr) {
        model_.embed(row.token, state);
      } else {
        std::copy_n(row.state, config_.width, state);
      }
      if (!learned.empty()) {
        model_.positions.read_row(config_.first_position + layout.position, learned.data());
        for (int n = 0; n < config_.width; ++n) state[n] += learned[size(n)];
      }
      state += config_.width;
    }
    rope_.write(layout.position, angles);
    const CudaKvCache& cache = *caches_[size(row.sequence)];
    host_at<PassRow>(inputs_.rows)[i] = {.cache = cache.data(),
                                         .head_bytes = cache.head_bytes(),
                                         .slot = layout.slot,
                                         .position = layout.position,
                                         .contiguous = layout.contiguous,
                                         .first_extra = static_cast<int>(layout.first_extra)};
    std::copy_n(layout_.extra(layout), layout.num_extra, extra + layout.first_extra);
  }
  std::copy(logit_rows_.begin(), logit_rows_.end(), host_at<int>(inputs_.logit_rows));
  std::copy(tiles_.all().begin(), tiles_.all().end(), host_at<RowTile>(inputs_.tiles));
}

void CudaForward::mark_too_large(const Pass& pass) {
  for (int i = 0; i < rows_; ++i) {
    if (too_large_[size(i)] == 0) continue;
    KvCache& cache = *caches_[size(pass.rows[size(i)].sequence)];
    cache.mark_too_large(layout_[size(i)].slot - cache.length());
  }
}

void CudaForward::take_results(Pass& pass) {
  gpu_->device->synchronise();
  mark_too_large(pass);
  const int rows = static_cast<int>(logit_rows_.size()), width = static_cast<int>(model_.head.rows);
  pass.logits.leave(rows, width, std::move(logits_));
  taps_.hand_over(pass.observed);
}

void CudaForward::attend_at(const Observation& observed, int row, std::span<const Head> heads,
                            std::span<const int> positions, float* out) {
  const auto& cache = dynamic_cast<const CudaKvCache&>(observed.cache_of_committed(row));
  Device& device = *gpu_->device;
  std::vector<float> queries;
  std::vector<Softmax> softmax;
  std::vector<int> layer_heads, windows;
  for (const Head& head : heads) {
    const std::span<const float> query = observed.query(row, head);
    queries.insert(queries.end(), query.begin(), query.end());
    softmax.push_back(observed.softmax(row, head));
    layer_heads.push_back(head.layer - 1);
    layer_heads.push_back(head.head);
    windows.push_back(config_.windows.empty() ? 0 : config_.windows[size(head.layer - 1)]);
  }
  const DeviceBuffer<float> device_queries(device, queries);
  const DeviceBuffer<Softmax> device_softmax(device, softmax);
  const DeviceBuffer<int> device_heads(device, layer_heads);
  const DeviceBuffer<int> device_windows(device, windows);
  const DeviceBuffer<int> device_positions(device, positions);
  const DeviceBuffer<float> weights(device, heads.size() * positions.size());
  gpu_->kernels->weigh_keys({.queries = device_queries.data(),
                             .softmax = device_softmax.data(),
                             .layer_heads = device_heads.data(),
                             .windows = device_windows.data(),
                             .slopes = slopes_.data(),
                             .positions = device_positions.data(),
                             .count_heads = static_cast<int>(heads.size()),
                             .count = static_cast<int>(positions.size()),
                             .position = observed.position(row),
                             .cache = cache.data(),
                             .head_bytes = cache.head_bytes(),
                             .shape = shape_,
                             .out = weights.data()});
  weights.copy_from({out, weights.size()});
  device.synchronise();
}

}  // namespace outrider::engine::cuda
