#include "calibrate/cost/draft_pass_shares.h"

#include "runtime/base/interrupted.h"

namespace outrider::calibrate {

std::vector<double> draft_pass_shares(engine::Engine& target, const cost::DraftModel& draft,
                                      int context, const std::vector<int>& rows, Watch& watch) {
  constexpr int kFew = 8;  // rows whose passes are timed more often
  watch.begin("timings of the draft model", std::ssize(rows));
  std::vector<double> shares;
  for (const int number : rows) {
    if (watch.interrupted()) throw Interrupted();
    const cost::StepTimes times =
        cost::time_steps(target, draft, context, number < kFew ? 40 : 10, number);
    shares.push_back(times.draft.median / times.target.median);
    watch.show(std::ssize(shares));
  }
  watch.end();
  return shares;
}

}  // namespace outrider::calibrate
