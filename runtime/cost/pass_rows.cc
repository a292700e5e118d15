#include "runtime/cost/pass_rows.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace outrider::cost {

const std::vector<int>& PassRows::numbers() {
  static const std::vector<int> all = [] {
    std::vector<int> made(64);
    std::iota(made.begin(), made.end(), 1);
    for (const int rows : {80, 96, 128, 160, 192, 256, 384, 512, 768, 1024, 1536, 2049})
      made.push_back(rows);
    return made;
  }();
  return all;
}

PassRows::PassRows(std::vector<std::int32_t> counts) : counts_(std::move(counts)) {
  if (counts_.size() != numbers().size())
    throw std::logic_error("PassRows: expected a count for each number of rows");
}

void PassRows::add(int rows) {
  const std::vector<int>& all = numbers();
  const auto found = std::lower_bound(all.begin(), all.end() - 1, rows);
  ++counts_[static_cast<std::size_t>(found - all.begin())];
}

void PassRows::add(const PassRows& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

std::int64_t PassRows::passes() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

double PassRows::seconds(const std::function<double(int rows)>& of_pass) const {
  double sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0) sum += counts_[i] * of_pass(numbers()[i]);
  return sum;
}

}  // namespace outrider::cost
