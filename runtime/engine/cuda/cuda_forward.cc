#include "runtime/engine/cuda/cuda_forward.h"

#include <algorithm>
#include <cmath>
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
  graphs_.run(form, [&] { launch(); });
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

void CudaForward::prepare(Pass& pass) {
  find_caches(pass);
  layout_.assign(pass, config_.state_inputs > 0 ? 0 : config_.vocab, positions_of(config_));
  rows_ = static_cast<int>(pass.rows.size());
  logit_rows_.clear();
  splits_ = 1;
  for (int i = 0; i < rows_; ++i) {
    if (pass.rows[size(i)].wants_logits) logit_rows_.push_back(i);
    splits_ = std::max(splits_, layout_[size(i)].position / kSplit + 1);
  }
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
  in.extra = in.logit_rows + size(rows_) * sizeof(int);
  std::size_t extra = 0;
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
}

void CudaForward::project(std::initializer_list<ProjectTo> products, const Operand& x,
                          int out_stride, bool accumulate, int rows) {
  for (const ProjectTo* next = products.begin(); next != products.end();) {
    const cpu::Packing packing = next->projection->packing;
    ProductArgs args{.matrices = {},
                     .count = 0,
                     .inputs = next->projection->inputs,
                     .rows = rows,
                     .x = x,
                     .out_stride = out_stride,
                     .accumulate = accumulate};
    for (; next != products.end() && next->projection->packing == packing; ++next)
      args.matrices[args.count++] = {.panels = next->projection->panels,
                                     .num_panels = next->projection->num_panels,
                                     .out = next->out,
                                     .bias = next->projection->bias};
    gpu_->kernels->product(packing, args, spread_);
  }
}

Operand CudaForward::normalised(const float* x, int width, const CudaNorm& norm,
                                const int* row_numbers, int rows) {
  const Operand out = buffers_.inputs.of(rows, weights_->takes_floats, weights_->takes_quants);
  gpu_->kernels->normalise({.x = x,
                            .row_numbers = row_numbers,
                            .weight = norm.weight,
                            .bias = norm.bias,
                            .epsilon = config_.norm_epsilon,
                            .rows = rows,
                            .width = width,
                            .out = out});
  return out;
}

void CudaForward::launch() {
  Device& device = *gpu_->device;
  const std::size_t state_bytes = size(rows_) * size(config_.width) * sizeof(float);
  const int width = config_.width,
            qkv_width = (config_.heads + 2 * config_.kv_heads) * config_.head_width;
  float* const residual = buffers_.residual.data();
  float* const qkv = buffers_.qkv.data();
  if (config_.state_inputs > 0) {
    const Operand given =
        normalised(device_at<float>(inputs_.states), config_.state_inputs, {}, nullptr, rows_);
    project({{&weights_->state_projection, residual}}, given, width, false, rows_);
  } else {
    device.copy_within(residual, device_at<float>(inputs_.states), state_bytes);
    if (weights_->embedding_norm.weight != nullptr) normalise_in_place(weights_->embedding_norm);
  }
  const auto tap_states = [&](int layer) {
    if (float* out = taps_.states(layer)) device.copy_within(out, residual, state_bytes);
  };
  tap_states(0);
  for (int l = 0; l < config_.layers; ++l) {
    const CudaLayer& layer = weights_->layers[size(l)];
    const Operand normed = normalised(residual, width, layer.attn_norm, nullptr, rows_);
    project({{&layer.q, qkv},
             {&layer.k, qkv + config_.heads * config_.head_width},
             {&layer.v, qkv + (config_.heads + config_.kv_heads) * config_.head_width}},
            normed, qkv_width, false, rows_);
    project({{&layer.o, residual}}, attend(l), width, true, rows_);
    feed_forward(layer);
    tap_states(l + 1);
  }
  if (float* out = taps_.states(kFinalNorm))
    gpu_->kernels->normalise({.x = residual,
                              .row_numbers = nullptr,
                              .weight = weights_->final_norm.weight,
                              .bias = weights_->final_norm.bias,
                              .epsilon = config_.norm_epsilon,
                              .rows = rows_,
                              .width = width,
                              .out = {out, {nullptr, nullptr, nullptr, 0}}});
  if (const int count = static_cast<int>(logit_rows_.size()); count > 0) {
    const Operand normed = normalised(residual, width, weights_->final_norm,
                                      device_at<int>(inputs_.logit_rows), count);
    const std::size_t stride = logits_->stride();
    project({{&weights_->head, logits_->data()}}, normed, static_cast<int>(stride), false, count);
  }
  taps_.copy_to_host();
}

void CudaForward::normalise_in_place(const CudaNorm& norm) {
  gpu_->kernels->normalise({.x = buffers_.residual.data(),
                            .row_numbers = nullptr,
                            .weight = norm.weight,
                            .bias = norm.bias,
                            .epsilon = config_.norm_epsilon,
                            .rows = rows_,
                            .width = config_.width,
                            .out = {buffers_.residual.data(), {nullptr, nullptr, nullptr, 0}}});
}

Operand CudaForward::attend(int l) {
  const CudaLayer& layer = weights_->layers[size(l)];
  float* const qkv = buffers_.qkv.data();
  const PassRow* pass_rows = device_at<PassRow>(inputs_.rows);
  // Blocks of 32 numbers may reach from one head into the next: then they are quantised when all heads are there.
  const bool apart = config_.head_width % 32 != 0;
  const Operand out =
      apart ? Operand{buffers_.attended.data(), {nullptr, nullptr, nullptr, 0}}
            : buffers_.inputs.of(rows_, weights_->takes_floats, weights_->takes_quants);
  gpu_->kernels->prepare_heads(
      {.qkv = qkv,
       .angles = device_at<float>(inputs_.angles),
       .q_norm = layer.q_norm,
       .k_norm = layer.k_norm,
       .epsilon = config_.norm_epsilon,
       .query_scale = 1.0f / std::sqrt(static_cast<float>(config_.head_width)),
       .rotary_width = config_.rotary_width,
       .rows = rows_,
       .layer = l,
       .pass_rows = pass_rows,
       .shape = shape_,
       .bound = kv_bound_,
       .too_large = too_large_.span().data()});
  gpu_->kernels->attend({.qkv = qkv,
                         .pass_rows = pass_rows,
                         .extra = device_at<int>(inputs_.extra),
                         .slopes = slopes_.data(),
                         .rows = rows_,
                         .layer = l,
                         .window = config_.windows.empty() ? 0 : config_.windows[size(l)],
                         .max_splits = splits_,
                         .shape = shape_,
                         .scores = buffers_.scores.data(),
                         .maxima = buffers_.maxima.data(),
                         .partial = buffers_.partial.data(),
                         .totals = buffers_.totals.data(),
                         .finished = buffers_.finished.data(),
                         .out = out,
                         .softmax = taps_.softmax(l),
                         .best = taps_.best(l),
                         .best_stride = config_.layers * config_.heads});
  if (const int count = taps_.heads_of(l); count > 0)
    gpu_->kernels->copy_queries({.qkv = qkv,
                                 .heads = taps_.head_numbers(l),
                                 .count_heads = count,
                                 .rows = rows_,
                                 .shape = shape_,
                                 .out = taps_.queries(l),
                                 .out_heads = taps_.num_heads()});
  if (!apart) return out;
  return normalised(buffers_.attended.data(), config_.heads * config_.head_width, {}, nullptr,
                    rows_);
}

void CudaForward::feed_forward(const CudaLayer& layer) {
  const int ffn = config_.ffn_width;
  const Operand normed =
      normalised(buffers_.residual.data(), config_.width, layer.ffn_norm, nullptr, rows_);
  const bool gated = config_.activation == model::Activation::kGatedSilu;
  const Operand activated =
      buffers_.activated.of(rows_, weights_->takes_floats, weights_->takes_quants);
  if (gated && !layer.up.is_float() && layer.gate.packing == layer.up.packing &&
      rows_ <= GpuKernels::kMostGatedRows) {
    gpu_->kernels->gated_product(layer.up.packing,
                                 {.gate = layer.gate.panels,
                                  .up = layer.up.panels,
                                  .num_panels = layer.up.num_panels,
                                  .inputs = config_.width,
                                  .rows = rows_,
                                  .x = normed,
                                  .up_bias = layer.up.bias,
                                  .out = activated},
                                 spread_);
  } else {
    if (gated) {
      project({{&layer.gate, buffers_.gate.data()}, {&layer.up, buffers_.up.data()}}, normed, ffn,
              false, rows_);
    } else {
      project({{&layer.up, buffers_.up.data()}}, normed, ffn, false, rows_);
    }
    gpu_->kernels->activate({.kind = config_.activation,
                             .gate = gated ? buffers_.gate.data() : nullptr,
                             .up = buffers_.up.data(),
                             .rows = rows_,
                             .width = ffn,
                             .out = activated});
  }
  project({{&layer.down, buffers_.residual.data()}}, activated, config_.width, true, rows_);
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
