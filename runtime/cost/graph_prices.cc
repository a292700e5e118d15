#include "runtime/cost/graph_prices.h"

#include <algorithm>
#include <cstddef>

namespace outrider::cost {

double GraphPrices::draft_seconds(int num_rows) const {
  if (rows.size() == 1) return shares.front() * num_rows * plain_seconds();
  const auto found = std::lower_bound(rows.begin() + 1, rows.end() - 1, num_rows);
  const auto above = static_cast<std::size_t>(found - rows.begin());
  const double low = shares[above - 1], high = shares[above];
  const double part =
      static_cast<double>(num_rows - rows[above - 1]) / (rows[above] - rows[above - 1]);
  return (low + (high - low) * part) * plain_seconds();
}

double GraphPrices::speed(const GraphTrial& trial) const {
  if (trial.rounds == 0) return 1 / plain_seconds();
  const Shape shape = trial.setting.children == 1 ? Shape::kChain : Shape::kTree;
  const double seconds = trial.verified.seconds([&](int num) {
    return passes.seconds({shape, num, context});
  }) + trial.drafting.seconds([&](int num) { return draft_seconds(num); });
  return static_cast<double>(trial.tokens) / seconds;
}

}  // namespace outrider::cost
