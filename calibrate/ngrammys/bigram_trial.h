#pragma once

#include <string>
#include <vector>

#include "calibrate/ngrammys/bigram_table.h"
#include "calibrate/ngrammys/greedy_extension.h"
#include "calibrate/replay/replay.h"

namespace outrider::calibrate {

/// Drafts of a step, and tokens of each, when tables are compared.
constexpr int kTrialDrafts = 10;
constexpr int kTrialLength = 3;

/// A bigram table, and its results.
struct BigramTrial {
  std::string context;  // as NgramTables::bigram_context
  BigramTable table;
  Replay replay;
};

/// Drafts from each table throughout the answers.
void try_bigrams(std::vector<BigramTrial>& trials, const std::vector<Answer>& answers);

/// Compares drafts of its size without and with the model's own continuation.
struct ExtensionTrial {
  GreedyExtension extension;
  Replay without, with;
};
void try_extension(ExtensionTrial& trial, const BigramTable& table,
                   const std::vector<Answer>& answers);

/// The one with the most tokens per pass; the first on a tie.
const BigramTrial& best_of(const std::vector<BigramTrial>& trials);

}  // namespace outrider::calibrate
