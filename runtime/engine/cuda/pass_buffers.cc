#include "runtime/engine/cuda/pass_buffers.h"

#include <algorithm>

namespace outrider::engine::cuda {
namespace {

std::size_t product(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

}  // namespace

OperandBuffer::Sizes OperandBuffer::sizes(int rows, int width) {
  const auto stride = static_cast<std::size_t>(PassBuffers::stride_for(rows));
  const std::size_t pairs = static_cast<std::size_t>((width / 32 + 1) / 2);
  return {stride * static_cast<std::size_t>(width), pairs * stride * 64, 2 * pairs * stride};
}

std::int64_t OperandBuffer::bytes(int rows, int width) {
  const Sizes all = sizes(rows, width);
  return static_cast<std::int64_t>(all.floats * sizeof(float) + all.quants +
                                   all.scales * (sizeof(BlockScales) + sizeof(BlockSums)));
}

OperandBuffer::OperandBuffer(Device& device, int rows, int width) {
  const Sizes all = sizes(rows, width);
  floats_ = {device, all.floats};
  quants_ = {device, all.quants};
  scales_ = {device, all.scales};
  sums_ = {device, all.scales};
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

PassBuffers::Sizes PassBuffers::sizes(const model::ModelConfig& config, int rows, int splits) {
  const int heads_width = config.heads * config.head_width;
  const std::size_t head_splits = splits > 1 ? product(rows * config.heads, splits) : 0;
  return {.residual = product(rows, config.width),
          .qkv = product(rows, heads_width + 2 * config.kv_heads * config.head_width),
          .attended = product(rows, heads_width),
          .ffn = product(rows, config.ffn_width),
          .scores = head_splits * kSplit,
          .maxima = head_splits * 2,
          .partial = head_splits * static_cast<std::size_t>(config.head_width),
          .totals = head_splits,
          .finished = product(rows, config.kv_heads),
          .widest_input = std::max({config.width, heads_width, config.state_inputs})};
}

std::int64_t PassBuffers::bytes(const model::ModelConfig& config, int rows, int splits) {
  const Sizes all = sizes(config, rows, splits);
  const std::size_t numbers = all.residual + all.qkv + all.attended + 2 * all.ffn + all.scores +
                              all.maxima + all.partial + all.totals + all.finished;
  return static_cast<std::int64_t>(numbers * sizeof(float)) +
         OperandBuffer::bytes(rows, all.widest_input) +
         OperandBuffer::bytes(rows, config.ffn_width);
}

void PassBuffers::reserve(int rows, int splits) {
  if (has_room(rows, splits)) return;
  // By half at least, so that growing is seldom.
  const int more_rows = rows <= rows_ ? rows_ : stride_for(std::max(rows, rows_ + rows_ / 2));
  const int more_splits = splits <= splits_ ? splits_ : std::max(splits, 2 * splits_);
  const Sizes all = sizes(config_, more_rows, more_splits);
  rows_ = splits_ = 0;  // until all is there
  residual = {*device_, all.residual};
  qkv = {*device_, all.qkv};
  attended = {*device_, all.attended};
  gate = {*device_, all.ffn};
  up = {*device_, all.ffn};
  scores = {*device_, all.scores};
  maxima = {*device_, all.maxima};
  partial = {*device_, all.partial};
  totals = {*device_, all.totals};
  finished = {*device_, all.finished};
  finished.fill(0);
  inputs = {*device_, more_rows, all.widest_input};
  activated = {*device_, more_rows, config_.ffn_width};
  rows_ = more_rows;
  splits_ = more_splits;
}

}  // namespace outrider::engine::cuda
