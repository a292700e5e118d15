#include "runtime/engine/cuda/pass_buffers.h"

#include <algorithm>

namespace outrider::engine::cuda {
namespace {

std::size_t product(int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); }

}  // namespace

PassBuffers::PassBuffers(Device& device, const model::ModelConfig& config)
    : device_(&device),
      config_(config),
      widest_(std::max({config.width, config.ffn_width, config.heads * config.head_width, config.state_inputs})) {}

int PassBuffers::stride_for(int rows) { return rows <= 8 ? 8 : rows <= 16 ? 16 : (rows + 31) / 32 * 32; }

bool PassBuffers::reserve(int rows, int splits) {
  if (rows <= rows_ && splits <= splits_) return false;
  // By half at least, so that growing is seldom.
  rows_ = rows <= rows_ ? rows_ : stride_for(std::max(rows, rows_ + rows_ / 2));
  splits_ = splits <= splits_ ? splits_ : std::max(splits, 2 * splits_);
  const int heads_width = config_.heads * config_.head_width;
  residual = {*device_, product(rows_, config_.width)};
  qkv = {*device_, product(rows_, heads_width + 2 * config_.kv_heads * config_.head_width)};
  attended = {*device_, product(rows_, heads_width)};
  gate = {*device_, product(rows_, config_.ffn_width)};
  up = {*device_, product(rows_, config_.ffn_width)};
  const std::size_t head_splits = product(rows_ * config_.heads, splits_);
  if (splits_ > 1) {
    scores = {*device_, head_splits * kSplit};
    maxima = {*device_, head_splits * 2};
    partial = {*device_, head_splits * static_cast<std::size_t>(config_.head_width)};
    totals = {*device_, head_splits};
  }
  finished = {*device_, product(rows_, config_.kv_heads)};
  finished.fill(0);
  const int stride = stride_for(rows_);
  const std::size_t pairs = static_cast<std::size_t>((widest_ / 32 + 1) / 2);
  floats_ = {*device_, product(stride, widest_)};
  quants_ = {*device_, pairs * static_cast<std::size_t>(stride) * 64};
  quants_.fill(0);
  scales_ = {*device_, 2 * pairs * static_cast<std::size_t>(stride)};
  scales_.fill(0);
  sums_ = {*device_, 2 * pairs * static_cast<std::size_t>(stride)};
  sums_.fill(0);
  return true;
}

Operand PassBuffers::operand(int rows, bool floats, bool quants) const {
  return {floats ? floats_.data() : nullptr,
          quants ? QuantisedRows{quants_.data(), scales_.data(), sums_.data(), stride_for(rows)}
                 : QuantisedRows{nullptr, nullptr, nullptr, 0}};
}

}  // namespace outrider::engine::cuda
