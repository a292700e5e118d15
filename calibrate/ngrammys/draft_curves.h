#pragma once

#include <string>
#include <utility>
#include <vector>

#include "calibrate/replay/replay.h"
#include "runtime/draft/ngram/ngram_tables.h"

namespace outrider::calibrate {

/// Tokens per pass against k, the number of drafts, by replaying answers. N-Grammys (Stewart et al.
/// 2024), figure 2.
struct DraftCurves {
  std::vector<int> drafts;                                          // k
  std::vector<std::pair<std::string, std::vector<double>>> curves;  // names, [k] each
};

/// The curves of unigrams, bigrams alone (w = 1) and extended (w = 2, 3), and n-grams of the
/// context after queries of q = 1, 2, 3 tokens, ten tokens each.
/// @param tables  no k is larger than their width
DraftCurves draft_curves(const std::vector<Answer>& answers, const draft::TablesPtr& tables);

}  // namespace outrider::calibrate
