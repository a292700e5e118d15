#include "calibrate/commands/graph_work.h"

#include "runtime/base/interrupt.h"
#include "runtime/cli/progress.h"

namespace outrider::calibrate {

std::vector<RecordedStretch> record_stretches(TreeRecorder& recorder,
                                              const std::vector<Stretch>& stretches,
                                              const std::string& what, bool quiet) {
  std::int64_t positions = 0, done = 0;
  for (const Stretch& one : stretches) positions += static_cast<std::int64_t>(one.end - one.first);
  cli::Progress progress(what, positions, quiet);
  std::vector<RecordedStretch> recorded;
  for (const Stretch& one : stretches) {
    if (interrupted()) throw Interrupted();
    recorded.push_back(recorder.record(*one.answer, one.first, one.end));
    progress.show(done += static_cast<std::int64_t>(one.end - one.first));
  }
  return recorded;
}

std::vector<double> draft_pass_shares(engine::Engine& target, const cost::DraftModel& draft,
                                      int context, const std::vector<int>& rows, bool quiet) {
  constexpr int kFew = 8;  // rows whose passes are timed more often
  cli::Progress progress("timings of the draft model", std::ssize(rows), quiet);
  std::vector<double> shares;
  for (const int number : rows) {
    if (interrupted()) throw Interrupted();
    const cost::StepTimes times =
        cost::time_steps(target, draft, context, number < kFew ? 40 : 10, number);
    shares.push_back(times.draft.median / times.target.median);
    progress.show(std::ssize(shares));
  }
  return shares;
}

}  // namespace outrider::calibrate
