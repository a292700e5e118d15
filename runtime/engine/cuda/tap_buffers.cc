#include "runtime/engine/cuda/tap_buffers.h"

#include <algorithm>
#include <tuple>

namespace outrider::engine::cuda {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

bool TapBuffers::begin(const TapRequest& request, int rows) {
  rows_ = rows;
  layers_ = request.layers;
  std::sort(layers_.begin(), layers_.end());
  layers_.erase(std::unique(layers_.begin(), layers_.end()), layers_.end());
  heads_ = request.heads;
  const auto before = [](const Head& a, const Head& b) {
    return std::tie(a.layer, a.head) < std::tie(b.layer, b.head);
  };
  std::sort(heads_.begin(), heads_.end(), before);
  heads_.erase(std::unique(heads_.begin(), heads_.end()), heads_.end());
  best_keys_ = request.best_keys;
  head_layers_.clear();
  std::vector<int> numbers;
  for (const Head& head : heads_) {
    numbers.push_back(head.head);
    if (head_layers_.empty() || head_layers_.back() != head.layer - 1)
      head_layers_.push_back(head.layer - 1);
  }
  bool moved = false;
  if (numbers != numbers_) {
    numbers_ = numbers;
    if (device_numbers_.size() < numbers_.size()) {
      device_numbers_ = {device_, numbers_.size()};
      moved = true;
    }
    device_numbers_.copy_to(numbers_);
    device_.synchronise();
  }
  queries_at_ = layers_.size() * index(rows) * index(config_.width) * sizeof(float);
  softmax_at_ =
      queries_at_ + heads_.size() * index(rows) * index(config_.head_width) * sizeof(float);
  best_at_ =
      softmax_at_ + head_layers_.size() * index(rows) * index(config_.heads) * sizeof(Softmax);
  bytes_ =
      best_at_ +
      (best_keys_ ? index(rows) * index(config_.layers) * index(config_.heads) * sizeof(int) : 0);
  if (bytes_ > device_memory_.size()) {
    device_memory_ = {device_, bytes_ + bytes_ / 2};
    host_memory_ = {device_, bytes_ + bytes_ / 2};
    moved = true;
  }
  return moved;
}

float* TapBuffers::states(int layer) const {
  const auto it = std::lower_bound(layers_.begin(), layers_.end(), layer);
  if (it == layers_.end() || *it != layer) return nullptr;
  return reinterpret_cast<float*>(device_memory_.data()) +
         index(static_cast<int>(it - layers_.begin())) * index(rows_) * index(config_.width);
}

int TapBuffers::heads_of(int layer) const {
  return static_cast<int>(std::count_if(heads_.begin(), heads_.end(),
                                        [&](const Head& head) { return head.layer == layer + 1; }));
}

const int* TapBuffers::head_numbers(int layer) const {
  const auto first = std::find_if(heads_.begin(), heads_.end(),
                                  [&](const Head& head) { return head.layer == layer + 1; });
  return device_numbers_.data() + (first - heads_.begin());
}

float* TapBuffers::queries(int layer) const {
  return reinterpret_cast<float*>(device_memory_.data() + queries_at_) +
         (head_numbers(layer) - device_numbers_.data()) * config_.head_width;
}

int TapBuffers::layer_number(int layer) const {
  const auto it = std::lower_bound(head_layers_.begin(), head_layers_.end(), layer);
  return it == head_layers_.end() || *it != layer ? -1
                                                  : static_cast<int>(it - head_layers_.begin());
}

Softmax* TapBuffers::softmax(int layer) const {
  const int number = layer_number(layer);
  if (number < 0) return nullptr;
  return reinterpret_cast<Softmax*>(device_memory_.data() + softmax_at_) +
         index(number) * index(rows_) * index(config_.heads);
}

int* TapBuffers::best(int layer) const {
  if (!best_keys_) return nullptr;
  return reinterpret_cast<int*>(device_memory_.data() + best_at_) +
         index(layer) * index(config_.heads);
}

void TapBuffers::copy_to_host() {
  if (bytes_ > 0) device_.copy_from(host_memory_.span().data(), device_memory_.data(), bytes_);
}

void TapBuffers::hand_over(Observation& observed) const {
  const std::uint8_t* memory = host_memory_.span().data();
  const auto* states = reinterpret_cast<const float*>(memory);
  for (const int layer : layers_)
    for (int row = 0; row < rows_; ++row, states += config_.width)
      std::copy_n(states, config_.width, observed.state_out(layer, row));
  const auto* queries = reinterpret_cast<const float*>(memory + queries_at_);
  const auto* softmax = reinterpret_cast<const Softmax*>(memory + softmax_at_);
  for (int row = 0; row < rows_; ++row) {
    for (const Head& head : heads_) {
      std::copy_n(queries, config_.head_width, observed.query_out(row, head));
      queries += config_.head_width;
      *observed.softmax_out(row, head) =
          softmax[(index(layer_number(head.layer - 1)) * index(rows_) + index(row)) *
                      index(config_.heads) +
                  index(head.head)];
    }
  }
  if (!best_keys_) return;
  const auto* best = reinterpret_cast<const int*>(memory + best_at_);
  const std::ptrdiff_t count = std::ptrdiff_t{config_.layers} * config_.heads;
  for (int row = 0; row < rows_; ++row)
    std::copy_n(best + row * count, count, observed.best_keys_out(row, {1, 0}));
}

}  // namespace outrider::engine::cuda
