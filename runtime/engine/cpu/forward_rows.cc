// The steps of a pass that compute rows separately: the embedding, norms and activations.

#include <algorithm>

#include "runtime/engine/cpu/forward_pass.h"

namespace outrider::engine::cpu {

void ForwardPass::embed(int thread) {
  if (config_.state_inputs > 0) return project_states(thread);
  const Share mine = share(rows_, thread, team_.size());
  for (int i = mine.begin; i < mine.end; ++i) embed_row(i);
}

void ForwardPass::embed_row(int i) {
  const std::size_t row = static_cast<std::size_t>(i);
  const int position = layout_[row].position;
  float* out = residual_.data() + at(i, config_.width);
  const Row& given = pass_->rows[row];
  if (given.state == nullptr) {
    model_.embed(given.token, out);
  } else {
    std::copy_n(given.state, config_.width, out);
  }
  write_angles(i);
  if (config_.positions == model::Positions::kLearned) {
    float* learned = normed_.row(i);  // scratch, unused at this point
    model_.positions.read_row(config_.first_position + position, learned);
    for (int n = 0; n < config_.width; ++n) out[n] += learned[n];
  }
  if (!weights_.embedding_norm.weight.empty()) normalise_numbers(out, weights_.embedding_norm, out);
}

void ForwardPass::write_angles(int row) {
  const int position = layout_[static_cast<std::size_t>(row)].position;
  float* const angles = angles_.data() + at(row, 2 * config_.head_width);
  rope_.write(position, angles);
  if (window_rope_) window_rope_->write(position, angles + config_.head_width);
}

void ForwardPass::project_states(int thread) {
  const Share mine = share(rows_, thread, team_.size());
  for (int i = mine.begin; i < mine.end; ++i) {
    const std::size_t row = static_cast<std::size_t>(i);
    std::copy_n(pass_->rows[row].state, config_.state_inputs, given_.row(i));
    given_.finish(kernels_, i, 0, config_.state_inputs);
    write_angles(i);
  }
  team_.barrier();
  project(weights_.state_projection, panels_of(thread, weights_.state_projection), given_, 0, rows_,
          {residual_.data(), static_cast<std::size_t>(config_.width), false});
}

void ForwardPass::normalise_numbers(const float* x, const PreparedNorm& norm, float* out) const {
  if (norm.weight.empty()) {
    std::copy_n(x, x == out ? 0 : config_.width, out);
  } else if (config_.norm == model::Norm::kLayer) {
    kernels_.layer_norm(x, norm.weight.data(), norm.bias.data(), config_.width,
                        config_.norm_epsilon, out);
  } else {
    kernels_.rms_norm(x, norm.weight.data(), config_.width, config_.norm_epsilon, out);
  }
}

void ForwardPass::normalise_row(int row, const PreparedNorm& norm, int target) {
  normalise_numbers(residual_.data() + at(row, config_.width), norm, normed_.row(target));
  normed_.finish(kernels_, target, 0, config_.width);
}

int ForwardPass::normalise(int thread, const PreparedNorm& norm, int first) {
  const int rows = rows_ - first;
  if (rows <= kOwnNormRows) {
    const int own = thread * rows;
    for (int i = 0; i < rows; ++i) normalise_row(first + i, norm, own + i);
    return own;
  }
  const Share mine = share(rows, thread, team_.size());
  for (int i = first + mine.begin; i < first + mine.end; ++i) normalise_row(i, norm, i);
  team_.barrier();
  return first;
}

void ForwardPass::activate(float* gate, const float* up, int count) const {
  switch (config_.activation) {
    case model::Activation::kGatedSilu:
      return kernels_.silu_times(gate, up, count);
    case model::Activation::kGatedGelu:
      return kernels_.gelu_times(gate, up, count);
    case model::Activation::kGatedClamped:
      return kernels_.clamped_times(gate, up, count, config_.gate_sharpness, config_.gate_limit);
    case model::Activation::kRelu:
      return kernels_.relu(gate, count);
    case model::Activation::kGeluTanh:
      return kernels_.gelu_tanh(gate, count);
    case model::Activation::kGeluErf:
      return kernels_.gelu_erf(gate, count);
  }
}

}  // namespace outrider::engine::cpu
