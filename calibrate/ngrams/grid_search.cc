#include "calibrate/ngrams/grid_search.h"

#include "runtime/base/interrupted.h"
#include "runtime/draft/ngram/ngrammys.h"

namespace outrider::calibrate {
namespace {

Replay replay_cell(const std::vector<Answer>& answers, const draft::TablesPtr& tables, int drafts,
                   int draft_length) {
  if (drafts > 0) {
    draft::NGrammys drafter(tables,
                            draft::NGrammysOptions{.drafts = drafts, .draft_length = draft_length});
    return replay_all(answers, &drafter);
  }
  return replay_all(answers, nullptr);
}

}  // namespace

std::vector<std::int32_t> grid_drafts(int most) {
  std::vector<std::int32_t> drafts;
  for (const std::int32_t k : {0, 1, 2, 3, 4, 5, 8, 10, 20, 25})
    if (k <= most) drafts.push_back(k);
  return drafts;
}

std::vector<std::int32_t> grid_draft_lengths() { return {1, 2, 3, 4, 6, 8, 10, 12, 14}; }

cost::DraftGrid search_grid(const std::vector<Answer>& answers, const draft::TablesPtr& tables,
                            const DraftPassSeconds& pass_seconds,
                            const std::function<bool(int)>& go_on) {
  cost::DraftGrid grid;
  grid.drafts = grid_drafts(tables->top);
  grid.draft_lengths = grid_draft_lengths();
  int done = 0;
  for (const int drafts : grid.drafts) {
    for (const int length : grid.draft_lengths) {
      const Replay tried = replay_cell(answers, tables, drafts, length);
      grid.tokens_per_pass.push_back(tried.tokens_per_pass());
      grid.drafted_per_pass.push_back(tried.drafted_per_pass());
      grid.tokens_per_second.push_back(
          predicted_rate(tried, [&](int rows) { return pass_seconds(drafts, rows); }));
      if (!go_on(++done)) throw Interrupted();
    }
  }
  return grid;
}

}  // namespace outrider::calibrate
