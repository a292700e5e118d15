#include "runtime/cost/pass_rows.h"

#include <numeric>

namespace outrider::cost {

void PassRows::add(int rows, std::int32_t passes) {
  if (passes == 0) return;
  if (rows > most()) counts_.resize(static_cast<std::size_t>(rows));
  counts_[static_cast<std::size_t>(rows - 1)] += passes;
}

void PassRows::add(const PassRows& other) {
  for (int rows = 1; rows <= other.most(); ++rows) add(rows, other.with(rows));
}

std::int32_t PassRows::with(int rows) const {
  return rows > most() ? 0 : counts_[static_cast<std::size_t>(rows - 1)];
}

std::int64_t PassRows::passes() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

double PassRows::seconds(const std::function<double(int rows)>& of_pass) const {
  double sum = 0;
  for (int rows = 1; rows <= most(); ++rows)
    if (const std::int32_t passes = with(rows); passes > 0) sum += passes * of_pass(rows);
  return sum;
}

}  // namespace outrider::cost
