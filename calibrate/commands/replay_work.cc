#include "calibrate/commands/replay_work.h"

#include <fmt/core.h>

#include "runtime/base/error.h"

namespace outrider::calibrate {

std::vector<Stretch> stretches_at(double temperature, const std::vector<const Answer*>& answers,
                                  int positions, std::size_t last, const std::string& data) {
  std::vector<Stretch> stretches =
      choose_stretches(answers, static_cast<std::size_t>(positions), last);
  if (stretches.empty())
    throw InputError(fmt::format(
        "{}: expected texts of two generated tokens or more outside loops, found none at "
        "temperature {:g}",
        data, temperature));
  return stretches;
}

std::int64_t positions_of(const std::vector<Stretch>& stretches) {
  std::int64_t positions = 0;
  for (const Stretch& one : stretches) positions += static_cast<std::int64_t>(one.end - one.first);
  return positions;
}

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
