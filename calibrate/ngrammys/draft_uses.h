#pragma once

#include <string>
#include <vector>

#include "calibrate/replay/replay.h"
#include "runtime/draft/ngram/ngram_tables.h"

namespace outrider::calibrate {

/// The use of one source of drafts, as shares of all passes:
struct SourceUse {
  std::string name;
  std::vector<double> by_length;  // [w] that accepted 1, 2, … tokens of one of its drafts
  std::vector<double> by_rank;    // [k] that accepted its first draft, its second, …
  std::vector<double> by_drafts;  // [k + 1] that had 0, 1, … of its drafts
};

/// The contribution of each source to mixed drafts, by replaying answers. N-Grammys (Stewart et al.
/// 2024), figure 4.
struct DraftUses {
  int drafts = 0;        // k
  int draft_length = 0;  // w
  std::vector<SourceUse> sources;
};

/// The uses in `ngrammys` with the paper's ten drafts of ten tokens, or as many as the tables are
/// wide.
DraftUses draft_uses(const std::vector<Answer>& answers, const draft::TablesPtr& tables);

}  // namespace outrider::calibrate
