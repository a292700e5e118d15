#pragma once

#include <string>

#include "calibrate/answers/answer.h"
#include "calibrate/replay/replay.h"
#include "runtime/methods/prepared_method.h"

namespace outrider::calibrate {

/// The record of a replay: a line of JSON.
std::string replay_record(const Answer& answer, const Replay& replayed,
                          const methods::PreparedMethod& method);

}  // namespace outrider::calibrate
