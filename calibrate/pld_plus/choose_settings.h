#pragma once

#include <functional>
#include <vector>

#include "calibrate/replay/replay.h"
#include "runtime/draft/copy/pld_plus_settings.h"

namespace outrider::calibrate {

/// Results of a drafter that copies, with drafts of at most this many tokens and this threshold.
using ReplaySetting = std::function<Replay(int draft_length, double threshold)>;

/// The draft lengths to compare, from 1 to 100.
std::vector<int> copied_draft_lengths();

/// Compares each of them with every threshold, and takes the setting with the most tokens per
/// second; the shortest draft on a tie.
/// @param thresholds  at least one; -1 means none
draft::PldPlusSettings choose_settings(const ReplaySetting& replay,
                                       const std::vector<double>& thresholds,
                                       const cost::PassSeconds& pass_seconds);

}  // namespace outrider::calibrate
