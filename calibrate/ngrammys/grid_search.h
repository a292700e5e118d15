#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/replay/replay.h"
#include "runtime/cost/trials.h"
#include "runtime/draft/ngram/ngram_tables.h"

namespace outrider::calibrate {

/// The settings of a grid, as flags: k, then w.
inline const std::vector<std::string> kGridNames = {"drafts", "draft-length"};

/// The k and w of N-Grammys (Stewart et al. 2024), and smaller ones: a CPU has less spare compute.
std::vector<int> grid_drafts(int most);
std::vector<int> grid_draft_lengths();

/// Replays answers at one temperature with `ngrammys` for every k and w.
/// @param tables   no k is larger than their width
/// @param go_on    called after each trial with the number done; false ends early
/// @throws Interrupted when `go_on` returned false
cost::TemperatureTrials search_grid(const std::vector<Answer>& answers,
                                    const draft::TablesPtr& tables,
                                    const std::function<bool(int)>& go_on);

}  // namespace outrider::calibrate
