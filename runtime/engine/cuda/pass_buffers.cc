#include "runtime/engine/cuda/pass_buffers.h"

#include <algorithm>

namespace outrider::engine::cuda {
namespace {

std::size_t product(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

}  // namespace

OperandBuffer::OperandBuffer(Device& device, int rows, int width) {
  const int stride = PassBuffers::stride_for(rows);
  const std::size_t pairs = static_cast<std::size_t>((width / 32 + 1) / 2);
  floats_ = {device, product(stride, width)};
  quants_ = {device, pairs * static_cast<std::size_t>(stride) * 64};
  scales_ = {device, 2 * pairs * static_cast<std::size_t>(stride)};
  sums_ = {device, 2 * pairs * static_cast<std::size_t>(stride)};
  // What no row fills is multiplied too, and must be numbers for a padded last pair.
  quants_.fill(0);
  scales_.fill(0);
  sums_.fill(0);
}

Operand OperandBuffer::of(int rows, bool floats, bool quants) const {
  return {floats ? floats_.data() : nullptr,
          quants ? QuantisedRows{quants_.data(), scales_.data(), sums_.data(),
                                 PassBuffers::stride_for(rows)}
                 : QuantisedRows{nullptr, nullptr, nullptr, 0}};
}

PassBuffers::PassBuffers(Device& device, const model::ModelConfig& config)
    : device_(&device), config_(config) {}

int PassBuffers::stride_for(int rows) {
  return rows <= 8 ? 8 : rows <= 16 ? 16 : (rows + 31) / 32 * 32;
}

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
  inputs = {*device_, rows_, std::max({config_.width, heads_width, config_.state_inputs})};
  activated = {*device_, rows_, config_.ffn_width};
  return true;
}

}  // namespace outrider::engine::cuda
