#include "runtime/engine/observation.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/engine/kv_cache.h"

namespace outrider::engine {
namespace {

/// Shrinking and growing again would write zeros each time.
template <typename T>
void grow(std::vector<T>& numbers, std::size_t count) {
  if (numbers.size() < count) numbers.resize(count);
}

[[noreturn]] void fail_absent(const char* what, int layer, int head) {
  throw std::logic_error(
      fmt::format("observation: {} of layer {}, head {} was not requested", what, layer, head));
}

}  // namespace

void Observation::begin(const TapRequest& request, const model::ModelConfig& config, int rows,
                        AttentionOf attention_of) {
  layers_ = config.layers;
  heads_ = config.heads;
  width_ = index(config.width);
  head_width_ = index(config.head_width);
  num_states_ = num_heads_ = 0;
  state_numbers_.assign(index(layers_) + 2, kAbsent);
  for (const int layer : request.layers) {
    if (layer < kFinalNorm || layer > layers_)
      throw std::logic_error(fmt::format("taps: the model has no layer {}", layer));
    int& number = state_numbers_[index(layer + 1)];
    if (number == kAbsent) number = num_states_++;
  }
  head_numbers_.assign(index(layers_) * index(heads_), kAbsent);
  for (const Head& one : request.heads) {
    if (one.layer < 1 || one.layer > layers_ || one.head < 0 || one.head >= heads_)
      throw std::logic_error(fmt::format("taps: the model has no head {}:{}", one.layer, one.head));
    int& number = head_numbers_[index_of(one)];
    if (number == kAbsent) number = num_heads_++;
  }
  has_best_keys_ = request.best_keys;

  rows_.assign(index(rows), {0, 0, nullptr});
  grow(states_, index(rows * num_states_) * width_);
  grow(best_key_, has_best_keys_ ? index(rows) * head_numbers_.size() : 0);
  grow(queries_, index(rows * num_heads_) * head_width_);
  grow(softmax_, index(rows * num_heads_));
  attention_of_ = std::move(attention_of);
}

void Observation::set_row(int row, int position, int number, const KvCache* cache) {
  rows_[index(row)] = {position, number, cache};
}

std::ptrdiff_t Observation::offset_of_state(int layer, int row) const {
  const int number = layer < kFinalNorm || layer > layers_ || state_numbers_.empty()
                         ? kAbsent
                         : state_numbers_[index(layer + 1)];
  if (number == kAbsent) return kAbsent;
  return static_cast<std::ptrdiff_t>(index(row * num_states_ + number) * width_);
}

std::ptrdiff_t Observation::offset_of_head(int row, Head head) const {
  const bool there =
      head.layer >= 1 && head.layer <= layers_ && head.head >= 0 && head.head < heads_;
  const int number = there ? head_numbers_[index_of(head)] : kAbsent;
  return number == kAbsent ? kAbsent : std::ptrdiff_t{row} * num_heads_ + number;
}

bool Observation::has_states(int layer) const { return offset_of_state(layer, 0) != kAbsent; }

bool Observation::has_attention(Head head) const { return offset_of_head(0, head) != kAbsent; }

std::span<const float> Observation::state(int layer, int row) const {
  const std::ptrdiff_t offset = offset_of_state(layer, row);
  if (offset == kAbsent) fail_absent("the state", layer, 0);
  return {states_.data() + offset, width_};
}

std::span<const std::int32_t> Observation::best_keys(int row) const {
  if (!has_best_keys_) throw std::logic_error("observation: best keys were not requested");
  return std::span(best_key_).subspan(index(row) * head_numbers_.size(), head_numbers_.size());
}

std::span<const float> Observation::query(int row, Head head) const {
  const std::ptrdiff_t offset = offset_of_head(row, head);
  if (offset == kAbsent) fail_absent("the query", head.layer, head.head);
  return {queries_.data() + static_cast<std::size_t>(offset) * head_width_, head_width_};
}

const Softmax& Observation::softmax(int row, Head head) const {
  const std::ptrdiff_t offset = offset_of_head(row, head);
  if (offset == kAbsent) fail_absent("the softmax", head.layer, head.head);
  return softmax_[static_cast<std::size_t>(offset)];
}

void Observation::attention(int row, std::span<const Head> heads, std::span<const int> positions,
                            std::vector<float>& out) const {
  for (const Head& head : heads)
    if (!has_attention(head)) fail_absent("the attention", head.layer, head.head);
  if (!std::is_sorted(positions.begin(), positions.end()) ||
      (!positions.empty() && (positions.front() < 0 || positions.back() > position(row))))
    throw std::logic_error("attention: positions must ascend up to the row's own");
  out.resize(heads.size() * positions.size());
  attention_of_(*this, row, heads, positions, out.data());
}

void Observation::copy_attention(const Observation& from, int row) {
  layers_ = from.layers_;
  heads_ = from.heads_;
  head_width_ = from.head_width_;
  state_numbers_.clear();
  head_numbers_ = from.head_numbers_;
  num_states_ = 0;
  num_heads_ = from.num_heads_;
  has_best_keys_ = false;
  rows_.assign(1, from.rows_[index(row)]);
  const auto queries =
      from.queries_.begin() + static_cast<std::ptrdiff_t>(index(row * num_heads_) * head_width_);
  queries_.assign(queries, queries + static_cast<std::ptrdiff_t>(index(num_heads_) * head_width_));
  const auto softmax = from.softmax_.begin() + std::ptrdiff_t{row} * num_heads_;
  softmax_.assign(softmax, softmax + num_heads_);
  attention_of_ = from.attention_of_;
}

const KvCache& Observation::cache_of_committed(int row) const {
  const RowInfo& asked = rows_[index(row)];
  if (!asked.cache->has_committed(asked.number, asked.position))
    throw std::logic_error("attention: the row was not committed");
  return *asked.cache;
}

float* Observation::state_out(int layer, int row) {
  const std::ptrdiff_t offset = offset_of_state(layer, row);
  return offset == kAbsent ? nullptr : states_.data() + offset;
}

std::int32_t* Observation::best_keys_out(int row, Head first) {
  if (!has_best_keys_) return nullptr;
  return best_key_.data() + index(row) * head_numbers_.size() + index_of(first);
}

float* Observation::query_out(int row, Head head) {
  const std::ptrdiff_t offset = offset_of_head(row, head);
  return offset == kAbsent ? nullptr
                           : queries_.data() + static_cast<std::size_t>(offset) * head_width_;
}

Softmax* Observation::softmax_out(int row, Head head) {
  const std::ptrdiff_t offset = offset_of_head(row, head);
  return offset == kAbsent ? nullptr : softmax_.data() + offset;
}

}  // namespace outrider::engine
