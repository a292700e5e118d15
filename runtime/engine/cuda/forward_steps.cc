// The steps of CudaForward's passes, as launches of kernels.

#include <cmath>
#include <cstddef>

#include "runtime/engine/cuda/cuda_forward.h"

namespace outrider::engine::cuda {

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
  const auto states_of = [&](float* first, int width) {
    return first + static_cast<std::size_t>(first_row_) * static_cast<std::size_t>(width);
  };
  const std::size_t state_bytes =
      static_cast<std::size_t>(rows_) * static_cast<std::size_t>(config_.width) * sizeof(float);
  const int width = config_.width,
            qkv_width = (config_.heads + 2 * config_.kv_heads) * config_.head_width;
  float* const residual = buffers_.residual.data();
  float* const qkv = buffers_.qkv.data();
  if (config_.state_inputs > 0) {
    const Operand given =
        normalised(states_of(device_at<float>(inputs_.states), config_.state_inputs),
                   config_.state_inputs, {}, nullptr, rows_);
    project({{&weights_->state_projection, residual}}, given, width, false, rows_);
  } else {
    device.copy_within(residual, states_of(device_at<float>(inputs_.states), width), state_bytes);
    if (weights_->embedding_norm.weight != nullptr) normalise_in_place(weights_->embedding_norm);
  }
  const auto tap_states = [&](int layer) {
    if (float* out = taps_.states(layer))
      device.copy_within(states_of(out, width), residual, state_bytes);
  };
  tap_states(0);
  for (int l = 0; l < config_.layers; ++l) {
    const CudaLayer& layer = weights_->layers[static_cast<std::size_t>(l)];
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
                              .out = {states_of(out, width), {nullptr, nullptr, nullptr, 0}}});
  if (const int count = static_cast<int>(logit_rows_.size()); count > 0) {
    const Operand normed = normalised(residual, width, weights_->final_norm,
                                      device_at<int>(inputs_.logit_rows), count);
    const std::size_t stride = logits_->stride();
    project({{&weights_->head, logits_->data()}}, normed, static_cast<int>(stride), false, count);
  }
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
  const CudaLayer& layer = weights_->layers[static_cast<std::size_t>(l)];
  float* const qkv = buffers_.qkv.data();
  const PassRow* pass_rows = device_at<PassRow>(inputs_.rows) + first_row_;
  // Blocks of 32 numbers may reach from one head into the next: then they are quantised when all heads are there.
  const bool apart = config_.head_width % 32 != 0;
  const Operand out =
      apart ? Operand{buffers_.attended.data(), {nullptr, nullptr, nullptr, 0}}
            : buffers_.inputs.of(rows_, weights_->takes_floats, weights_->takes_quants);
  gpu_->kernels->prepare_heads(
      {.qkv = qkv,
       .angles = device_at<float>(inputs_.angles) +
                 static_cast<std::ptrdiff_t>(first_row_) * config_.rotary_width,
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
  const int window = config_.windows.empty() ? 0 : config_.windows[static_cast<std::size_t>(l)];
  gpu_->kernels->attend({.qkv = qkv,
                         .pass_rows = pass_rows,
                         .extra = device_at<int>(inputs_.extra),
                         .slopes = slopes_.data(),
                         .rows = rows_,
                         .layer = l,
                         .window = window,
                         .max_splits = splits_,
                         .tiles = device_at<RowTile>(inputs_.tiles),
                         .num_tiles = window == 0 ? static_cast<int>(tiles_.all().size()) : 0,
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

}  // namespace outrider::engine::cuda
