#pragma once

#include <functional>
#include <vector>

#include "calibrate/replay/replay.h"
#include "runtime/cost/draft_grid.h"
#include "runtime/draft/ngram/ngram_tables.h"

namespace outrider::calibrate {

/// Seconds of a pass with this number of rows, including the root, that verifies k drafts.
using DraftPassSeconds = std::function<double(int drafts, int rows)>;

/// The k and w of N-Grammys (Stewart et al. 2024), and smaller ones: a CPU has less spare compute.
std::vector<std::int32_t> grid_drafts(int most);
std::vector<std::int32_t> grid_draft_lengths();

/// Replays the answers with `ngrammys` for every k and w and predicts the speed from the times of
/// passes.
/// The caller fills in temperature, threads and context.
/// @param tables   no k is larger than their width
/// @param go_on    called after each cell with the number done; false ends early
/// @throws Interrupted when `go_on` returned false
cost::DraftGrid search_grid(const std::vector<Answer>& answers, const draft::TablesPtr& tables,
                            const DraftPassSeconds& pass_seconds,
                            const std::function<bool(int)>& go_on);

}  // namespace outrider::calibrate
