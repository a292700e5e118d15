#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/study/binary_scores.h"
#include "data/study/decode_sums.h"
#include "data/study/oracle_lengths.h"

namespace outrider::study {

/// What one stop policy did over all prompts.
struct StopCell {
  std::string name;      // "target", "static-5", ...
  std::string settings;  // as they were used, for people
  DecodeSums sums = {};
  std::vector<std::int64_t> tokens_of_texts =
      {};                                     // [prompts] without the first, which a prefill gives
  std::vector<double> seconds_of_texts = {};  // [prompts] of decoding
  std::optional<Confusion> confusion = {};
  std::optional<double> auc = {};

  /// @param text  what one text gave
  void add(const DecodeSums& text);
  double milliseconds_per_token() const {
    return sums.tokens == 0 ? 0 : 1e3 * sums.seconds / static_cast<double>(sums.tokens);
  }
  /// Share of the drafted tokens that were accepted.
  double acceptance() const {
    return sums.drafted == 0
               ? 0
               : static_cast<double>(sums.accepted) / static_cast<double>(sums.drafted);
  }
};

/// The tables of DISCO (Mamou et al. 2024) for one pair of models and one set of prompts.
struct StopStudy {
  std::string model, draft, machine, numerics, isa, verify;
  int threads = 1;
  int prompts = 0;
  int rounds = 1;  // of decoding each text; its times are their medians
  int starts = 1;  // of the command; each measured some of the texts with all policies in turn
  int max_new = 0;
  double temperature = 0;
  std::vector<StopCell> cells;  // the first is the target alone
  Confusion always;             // of predicting that every token is accepted
  OracleLengths oracle;
};

}  // namespace outrider::study
