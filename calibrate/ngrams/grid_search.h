#pragma once

#include <functional>
#include <vector>

#include "calibrate/replay/replay.h"
#include "runtime/cost/draft_grid.h"
#include "runtime/draft/ngram/table_ngrams.h"

namespace outrider::calibrate {

/// Seconds of a pass of so many rows, the root included, that verifies k drafts.
using DraftPassSeconds = std::function<double(int drafts, int rows)>;

/// The k and w that N-Grammys (Stewart et al. 2024) tries, and smaller ones: a CPU has less to spare.
std::vector<std::int32_t> grid_drafts(int most);
std::vector<std::int32_t> grid_draft_lengths();

/// Replays the answers with `ngrammys` for every k and w and predicts the speed from what passes take.
/// Threads and context are left for the caller to fill in.
/// @param tables   no k is larger than their width
/// @param go_on    told after each cell how many are done; false ends it
/// @throws Interrupted when `go_on` wished so
cost::DraftGrid search_grid(const std::vector<Answer>& answers, const draft::TablesPtr& tables,
                            const DraftPassSeconds& pass_seconds,
                            const std::function<bool(int)>& go_on);

}  // namespace outrider::calibrate
