#pragma once

#include <vector>

#include "calibrate/ngrammys/unigram_ranking.h"
#include "calibrate/replay/replay.h"

namespace outrider::calibrate {

/// The results of one ranking.
struct UnigramTrial {
  UnigramMeasure measure;
  std::vector<Token> ranking;
  Replay replay;
};

/// Drafts the first tokens of either ranking throughout the answers.
/// @param drafts  their number
/// @return in the order of unigram_measure_names
std::vector<UnigramTrial> try_unigrams(const model::Model& model,
                                       const std::vector<Answer>& answers, int drafts);

/// The one with the most tokens per pass.
const UnigramTrial& best_of(const std::vector<UnigramTrial>& trials);

}  // namespace outrider::calibrate
