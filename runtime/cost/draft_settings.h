#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cost/calibrated_pair.h"

namespace outrider::cost {

/// How long a draft model's rounds should be at one temperature, and the predictions that this was chosen
/// from: for every threshold (0: rounds of a fixed length) and every length. A threshold is of a token's probability, or of
/// the product of the round's so far.
struct DraftSettings {
  struct Cell {
    double threshold = 0;
    int draft_length = 0;
    double tokens_per_round = 0;
    double drafted_per_round = 0;
    double tokens_per_second = 0;
    bool along_path = false;  // the threshold is of the product
  };

  double temperature = 0;
  double agreement =
      0;  // share of the target's own tokens that the draft model draws, mean of the tasks
  double coverage = 0;  // share of them that its head has, likewise
  double plain_tokens_per_second = 0;
  std::vector<double> thresholds;           // from 0 on
  std::vector<std::int32_t> draft_lengths;  // ascending, from 1 on
  // [thresholds, draft_lengths]
  std::vector<double> tokens_per_round;
  std::vector<double> drafted_per_round;
  std::vector<double> tokens_per_second;
  // [thresholds] whether it is of the product; empty: none is
  std::vector<std::uint8_t> along_path = {};

  /// Whether that of a row of the grid is.
  bool is_along_path(std::size_t row) const { return !along_path.empty() && along_path[row] != 0; }
  std::size_t size() const { return thresholds.size() * draft_lengths.size(); }
  Cell cell(std::size_t i) const;
  /// The fastest; on a tie the first one: thresholds of tokens go before those of paths, lower and shorter ones first.
  Cell best() const;
  /// The fastest of one length, and the fastest that a threshold may end sooner; a length of 0 without any.
  Cell best_fixed() const { return best_of(true); }
  Cell best_stopped() const { return best_of(false); }
  /// The fastest setting's speed-up over plain decoding.
  double speed_up() const { return best().tokens_per_second / plain_tokens_per_second; }

 private:
  Cell best_of(bool fixed) const;
};

/// The settings for one machine and draft model.
struct MachineDraftSettings : CalibratedPair {
  double draft_seconds = 0;                   // of a step of the draft model
  double pass_seconds = 0;                    // of the target's pass over one row
  std::vector<DraftSettings> by_temperature;  // ascending; at least one

  /// The cost coefficient of Leviathan et al. (2023).
  double c() const { return draft_seconds / pass_seconds; }
  const DraftSettings& nearest(double temperature) const;
};

/// The expected speed-up of Leviathan et al. (2023), eq. 1 of DISCO (Mamou et al. 2024): for drafts of
/// `length` tokens that are accepted independently with probability `alpha`, if verifying costs one pass.
double improvement_factor(double alpha, int length, double c);

}  // namespace outrider::cost
