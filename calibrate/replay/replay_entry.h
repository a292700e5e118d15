#pragma once

#include <optional>

#include "calibrate/replay/replay.h"
#include "data/journal/journal.h"

namespace outrider::calibrate {

/// A replay of one text as a journal keeps it.
data::Journal::Entry entry_of(const Replay& replay);
/// Nothing for an entry that is none.
std::optional<Replay> replay_of(const data::Journal::Entry& entry);

}  // namespace outrider::calibrate
