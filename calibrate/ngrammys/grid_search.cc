#include "calibrate/ngrammys/grid_search.h"

#include "calibrate/replay/replay_trial.h"
#include "runtime/base/interrupted.h"
#include "runtime/draft/ngram/ngrammys_drafter.h"

namespace outrider::calibrate {
namespace {

cost::Trial tried(const std::vector<Answer>& answers, const draft::TablesPtr& tables, int drafts,
                  int draft_length) {
  draft::NGrammys drafter(tables,
                          draft::NGrammysOptions{.drafts = drafts, .draft_length = draft_length});
  return trial_of(replay_all(answers, &drafter),
                  {{"drafts", static_cast<double>(drafts)},
                   {"draft-length", static_cast<double>(draft_length)}},
                  drafts > 1 ? cost::Shape::kTree : cost::Shape::kChain);
}

}  // namespace

std::vector<int> grid_drafts(int most) {
  std::vector<int> drafts;
  for (const int k : {1, 2, 3, 4, 5, 8, 10, 20, 25})
    if (k <= most) drafts.push_back(k);
  return drafts;
}

std::vector<int> grid_draft_lengths() { return {1, 2, 3, 4, 6, 8, 10, 12, 14}; }

cost::TemperatureTrials search_grid(const std::vector<Answer>& answers,
                                    const draft::TablesPtr& tables,
                                    const std::function<bool(int)>& go_on) {
  cost::TemperatureTrials found;
  found.temperature = answers.front().temperature();
  found.positions = replay_all(answers, nullptr).passes;
  int done = 0;
  for (const int drafts : grid_drafts(tables->top)) {
    for (const int length : grid_draft_lengths()) {
      found.trials.push_back(tried(answers, tables, drafts, length));
      if (!go_on(++done)) throw Interrupted();
    }
  }
  return found;
}

}  // namespace outrider::calibrate
