#include "runtime/cost/priced.h"

#include <algorithm>
#include <cmath>

namespace outrider::cost {
namespace {

/// Between whole numbers of rows in proportion.
double seconds_of(const CostModel& passes, Shape shape, double rows, int context) {
  const int below = static_cast<int>(std::floor(rows));
  const double low = passes.seconds({shape, below, context});
  const double high = passes.seconds({shape, below + 1, context});
  return low + (high - low) * (rows - below);
}

}  // namespace

DraftSettings priced(DraftSettings settings, const RoundPrices& prices) {
  const auto round_seconds = [&](int drafted) {
    return prices.pass_seconds(1 + drafted) + drafted * prices.step_seconds();
  };
  settings.plain_tokens_per_second = 1 / prices.pass_seconds(1);
  const std::size_t lengths = settings.draft_lengths.size();
  for (std::size_t row = 0; row < settings.thresholds.size(); ++row) {
    double seconds = round_seconds(0);  // of the rounds of the length at hand
    double reaching = 1, drafted = 0;   // share of the rounds that reach the length before; mean
    int before = 0;                     // the length before
    for (std::size_t i = 0; i < lengths; ++i) {
      const std::size_t cell = row * lengths + i;
      const int length = settings.draft_lengths[i];
      const double more = (settings.drafted_per_round[cell] - drafted) / (length - before);
      reaching = std::clamp(more, 0.0, reaching);
      seconds += reaching * (round_seconds(length) - round_seconds(before));
      settings.tokens_per_second[cell] = settings.tokens_per_round[cell] / seconds;
      drafted = settings.drafted_per_round[cell];
      before = length;
    }
  }
  return settings;
}

DraftGrid priced(DraftGrid grid, const CostModel& passes) {
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const DraftGrid::Cell cell = grid.cell(i);
    const Shape shape = cell.drafts > 1 ? Shape::kTree : Shape::kChain;
    grid.tokens_per_second[i] =
        cell.tokens_per_pass / seconds_of(passes, shape, 1 + cell.drafted_per_pass, grid.context);
  }
  return grid;
}

}  // namespace outrider::cost
