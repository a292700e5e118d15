#pragma once

#include <functional>
#include <vector>

#include "calibrate/replay/replay.h"
#include "runtime/cost/trial.h"

namespace outrider::calibrate {

/// Results of a drafter that copies, with drafts of at most this many tokens and this threshold.
using ReplaySetting = std::function<Replay(int draft_length, double threshold)>;

/// The draft lengths to compare, from 1 to 100.
std::vector<int> copied_draft_lengths();

/// Tries each of them with every threshold.
/// @param thresholds  -1 means none; empty: the method has none
std::vector<cost::Trial> try_lengths(const ReplaySetting& replay,
                                     const std::vector<double>& thresholds);

}  // namespace outrider::calibrate
