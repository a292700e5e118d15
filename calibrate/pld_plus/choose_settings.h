#pragma once

#include <functional>
#include <vector>

#include "calibrate/replay/replay.h"
#include "runtime/draft/copy/pld_plus_settings.h"

namespace outrider::calibrate {

/// What a drafter that copies would do with drafts of at most so many tokens and this threshold.
using ReplaySetting = std::function<Replay(int draft_length, double threshold)>;

/// The draft lengths that are tried, from 1 to 100.
std::vector<int> copied_draft_lengths();

/// Tries each of them with every threshold, and takes the setting with the most tokens per
/// second; the shortest draft among equals.
/// @param thresholds  at least one; -1 means none
draft::PldPlusSettings choose_settings(const ReplaySetting& replay,
                                       const std::vector<double>& thresholds,
                                       const PassSeconds& pass_seconds);

}  // namespace outrider::calibrate
