#include "runtime/cost/draft_grid.h"

#include <fmt/core.h>

namespace outrider::cost {
namespace {

DraftGrid::Cell best_of(const DraftGrid& grid, int least_drafts) {
  DraftGrid::Cell best;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const DraftGrid::Cell cell = grid.cell(i);
    if (cell.drafts >= least_drafts && cell.tokens_per_second > best.tokens_per_second) best = cell;
  }
  return best;
}

}  // namespace

DraftGrid::Cell DraftGrid::cell(std::size_t i) const {
  return {drafts[i / draft_lengths.size()], draft_lengths[i % draft_lengths.size()],
          tokens_per_pass[i], drafted_per_pass[i], tokens_per_second[i]};
}

DraftGrid::Cell DraftGrid::best() const { return best_of(*this, 0); }
DraftGrid::Cell DraftGrid::best_drafting() const { return best_of(*this, 1); }

std::string describe_fastest(const DraftGrid& grid) {
  const auto text = [](const DraftGrid::Cell& cell) {
    return fmt::format("--drafts {} --draft-length {} ({:.0f} tokens/s, {:.2f} tokens per pass)",
                       cell.drafts, cell.draft_length, cell.tokens_per_second,
                       cell.tokens_per_pass);
  };
  const DraftGrid::Cell best = grid.best();
  if (best.drafts > 0) return "ngrammys " + text(best);
  return fmt::format(
      "plain decoding (ar, {:.0f} tokens/s): no drafts of ngrammys are faster here; "
      "the best: {}",
      best.tokens_per_second, text(grid.best_drafting()));
}

}  // namespace outrider::cost
