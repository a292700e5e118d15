#include "runtime/draft/copy/state_ranking.h"

#include <cmath>
#include <stdexcept>

namespace outrider::draft {
namespace {

constexpr std::size_t kLanes = 16;

/// Dot product by sixteen partial sums, so that compilers can use vectors, reduced in a fixed order.
float dot(const float* a, const float* b, std::size_t count) {
  float sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (std::size_t lane = 0; i < count; ++i, ++lane) sums[lane] += a[i] * b[i];
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

}  // namespace

void StateRanking::add(std::span<const float> state) {
  width_ = state.size();
  states_.reserve(room_ * width_);
  const float length = std::sqrt(dot(state.data(), state.data(), width_));
  const float scale = length > 0 ? 1 / length : 0;
  for (const float number : state) states_.push_back(number * scale);
  ++size_;
}

void StateRanking::copy_first(const StateRanking& from, int size) {
  if (size > from.size_) throw std::logic_error("StateRanking: fewer states");
  width_ = from.width_;
  size_ = size;
  const float* const states = from.states_.data();
  states_.assign(states, states + static_cast<std::size_t>(size) * width_);
}

void StateRanking::truncate(int size) {
  if (size > size_) throw std::logic_error("StateRanking: fewer states");
  size_ = size;
  states_.resize(static_cast<std::size_t>(size) * width_);
}

void StateRanking::score(std::span<const int> sources, int t,
                         std::vector<RankedSource>& scored) const {
  if (t < 1 || t > size_) throw std::logic_error("StateRanking: no state before this position");
  scored.clear();
  for (const int j : sources)
    if (j > 0) scored.push_back({j, dot(state(j - 1), state(t - 1), width_)});
}

}  // namespace outrider::draft
