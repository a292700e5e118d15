#include "runtime/cost/trial_prices.h"

#include <algorithm>
#include <cstddef>

namespace outrider::cost {

TrialPrices TrialPrices::at(double temperature, const CostModel& passes, int context,
                            const DraftingCost& drafting) {
  TrialPrices prices = {passes, context, drafting.rows, drafting.shares};
  // At temperature 0 a choice is a maximum and takes hardly any time.
  if (temperature > 0)
    for (std::size_t i = 0; i < prices.rows.size(); ++i)
      prices.shares[i] += drafting.choice_share * (prices.rows[i] - 1);
  return prices;
}

double TrialPrices::draft_seconds(int num_rows) const {
  if (rows.empty()) return 0;
  if (rows.size() == 1) return shares.front() * num_rows * plain_seconds();
  const auto found = std::lower_bound(rows.begin() + 1, rows.end() - 1, num_rows);
  const auto above = static_cast<std::size_t>(found - rows.begin());
  const double low = shares[above - 1], high = shares[above];
  const double part =
      static_cast<double>(num_rows - rows[above - 1]) / (rows[above] - rows[above - 1]);
  return (low + (high - low) * part) * plain_seconds();
}

double TrialPrices::speed(const TrialCounts& trial, Shape shape, double times) const {
  if (trial.rounds == 0) return 1 / plain_seconds();
  const auto rescaled = [times](double one_row, double all) {
    return times == 1 ? all : one_row + times * (all - one_row);
  };
  const double plain = plain_seconds(), step = draft_seconds(1);
  const double seconds = trial.verified.seconds([&](int num) {
    return rescaled(plain, passes.seconds({shape, num, context}));
  }) + trial.drafting.seconds([&](int num) { return rescaled(step, draft_seconds(num)); });
  return static_cast<double>(trial.tokens) / seconds;
}

}  // namespace outrider::cost
