#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "calibrate/trials/stretches.h"
#include "runtime/base/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/cost/time_steps.h"

namespace outrider::calibrate {

// The long parts of commands that replay settings of a drafter, with progress.

/// Records a drafter at the positions of stretches.
/// @param what    of the progress
/// @param record  (stretch) -> its record
/// @return [stretches]
/// @throws Interrupted
template <typename Record>
auto record_stretches(const std::vector<Stretch>& stretches, const std::string& what, bool quiet,
                      const Record& record) {
  std::int64_t positions = 0, done = 0;
  for (const Stretch& one : stretches) positions += static_cast<std::int64_t>(one.end - one.first);
  cli::Progress progress(what, positions, quiet);
  std::vector<std::invoke_result_t<Record, const Stretch&>> recorded;
  for (const Stretch& one : stretches) {
    if (interrupted()) throw Interrupted();
    recorded.push_back(record(one));
    progress.show(done += static_cast<std::int64_t>(one.end - one.first));
  }
  return recorded;
}

/// The stretches of a temperature's answers.
/// @param data  the traces' folder, for the message
/// @throws InputError where there are none
std::vector<Stretch> stretches_at(double temperature, const std::vector<const Answer*>& answers,
                                  int positions, std::size_t last, const std::string& data);

/// Times passes of a draft model over so many rows each, the choice of a token after each row included.
/// @return [rows] as shares of the target's pass over one row, each timed beside it
/// @throws Interrupted
std::vector<double> draft_pass_shares(engine::Engine& target, const cost::DraftModel& draft,
                                      int context, const std::vector<int>& rows, bool quiet);

}  // namespace outrider::calibrate
