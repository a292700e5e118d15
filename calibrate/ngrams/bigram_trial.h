#pragma once

#include <string>
#include <vector>

#include "calibrate/ngrams/bigram_table.h"
#include "calibrate/ngrams/greedy_extension.h"
#include "calibrate/replay/replay.h"

namespace outrider::calibrate {

/// Drafts of a step, and tokens of each, while tables are compared.
constexpr int kTrialDrafts = 10;
constexpr int kTrialLength = 3;

/// A bigram table, and how it does where it is used.
struct BigramTrial {
  std::string context;  // as NgramTables::bigram_context
  BigramTable table;
  Replay replay;
};

/// Drafts from each table throughout the answers.
void try_bigrams(std::vector<BigramTrial>& trials, const std::vector<Answer>& answers);

/// What the model's own continuation is good for: drafts of its size, without and with it.
struct ExtensionTrial {
  GreedyExtension extension;
  Replay without, with;
};
void try_extension(ExtensionTrial& trial, const BigramTable& table,
                   const std::vector<Answer>& answers);

/// That with the most tokens per pass; the first among equals.
const BigramTrial& best_of(const std::vector<BigramTrial>& trials);

}  // namespace outrider::calibrate
