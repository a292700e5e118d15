#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/binary_scores.h"
#include "runtime/evaluate/decode_sums.h"
#include "runtime/evaluate/oracle_lengths.h"

namespace outrider::evaluate {

/// What one stop policy did over all prompts.
struct StopCell {
  std::string name;      // "target", "static-5", ...
  std::string settings;  // as they were used, for people
  DecodeSums sums = {};
  std::int64_t draft_passes = 0;
  std::vector<double> seconds_per_token = {};  // [prompts] of decoding
  std::optional<Confusion> confusion = {};
  std::optional<double> auc = {};

  void add(const decode::DecodeResult& result);
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

/// A mean of prompts and the half of its 95 % interval.
struct PairedMean {
  double mean = 0;
  double half = 0;
};

/// The times of a policy as shares of another's, prompt by prompt: 1 is as fast.
PairedMean paired_ratio(const StopCell& cell, const StopCell& other);

/// The tables of DISCO (Mamou et al. 2024) for one pair of models and one set of prompts.
struct StopStudy {
  std::string model, draft, machine, numerics, isa, verify;
  int threads = 1;
  int prompts = 0;
  int max_new = 0;
  double temperature = 0;
  std::vector<StopCell> cells;  // the first is the target alone
  Confusion always;             // of predicting that every token is accepted
  OracleLengths oracle;
};

/// A policy beside the better of the static ones and the oracle: what is between these is what any choice of
/// lengths can save (DISCO: Mamou et al. 2024, table 1).
struct SavedTime {
  std::string fixed;    // the static policy with the least time per token
  PairedMean of_fixed;  // the policy's time as a share of its
  double share = 0;     // of the time between it and the oracle that the policy saves
};

/// The time that a policy saves; nothing for a static one or the oracle, where the study lacks
/// either, or where these are as slow as each other.
std::optional<SavedTime> saved_time(const StopCell& cell, const StopStudy& study);

}  // namespace outrider::evaluate
