#include "runtime/engine/cpu/expert_routing.h"

#include <algorithm>
#include <numeric>

#include "runtime/base/math.h"

namespace outrider::engine::cpu {

void ExpertRouting::choose(const float* outputs, int row) {
  const auto first = chosen_.begin() + std::ptrdiff_t{row} * used_;
  std::vector<int> order(static_cast<std::size_t>(experts_));
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + used_, order.end(), [&](int a, int b) {
    return outputs[a] != outputs[b] ? outputs[a] > outputs[b] : a < b;
  });
  const double largest = static_cast<double>(outputs[order.front()]);
  std::copy_n(order.begin(), used_, first);
  std::sort(first, first + used_);
  const auto weight = [&](int expert) {
    return math::exp(static_cast<double>(outputs[expert]) - largest);
  };
  double total = 0;
  if (sum_to_one_) {
    for (int i = 0; i < used_; ++i) total += weight(first[i]);
  } else {
    for (int expert = 0; expert < experts_; ++expert) total += weight(expert);
  }
  Part* const parts = parts_.data() + std::ptrdiff_t{row} * used_;
  for (int i = 0; i < used_; ++i) parts[i] = {0, static_cast<float>(weight(first[i]) / total)};
}

void ExpertRouting::assign(const float* outputs, std::size_t stride, int rows) {
  const std::size_t places = static_cast<std::size_t>(rows) * static_cast<std::size_t>(used_);
  chosen_.resize(places);
  parts_.resize(places);
  rows_.resize(places);
  for (int row = 0; row < rows; ++row)
    choose(outputs + static_cast<std::size_t>(row) * stride, row);
  begins_.assign(static_cast<std::size_t>(experts_) + 1, 0);
  for (const int expert : chosen_) ++begins_[static_cast<std::size_t>(expert) + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  std::vector<int> next(begins_.begin(), begins_.end() - 1);
  for (std::size_t i = 0; i < places; ++i) {
    const int place = next[static_cast<std::size_t>(chosen_[i])]++;
    rows_[static_cast<std::size_t>(place)] = static_cast<int>(i) / used_;
    parts_[i].place = place;
  }
}

}  // namespace outrider::engine::cpu
