#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/cost/drafted_rounds.h"
#include "runtime/cost/trial.h"

namespace outrider::cost {

/// The settings of ssd that rounds are tried with, as flags; static rounds have no threshold.
inline const std::vector<std::string> kStopNames = {"draft-stop", "draft-length",
                                                    "draft-threshold"};

/// How a policy ends rounds: after the token with which a score is below the logarithm of a threshold.
struct ThresholdPolicy {
  std::string name = {};                // "confidence"; empty: never, "static"
  bool of_sum = false;                  // the score is the sum of the round's so far
  std::vector<double> thresholds = {};  // to be tried, above 0
};

/// Tries rounds of 1 to `longest` tokens at most.
/// @param texts  by log-probabilities as scores
std::vector<Trial> try_stops(std::span<const DraftedText> texts, const ThresholdPolicy& policy,
                             int longest);

/// The end of a trial's rounds. @param of_sum  as of the policy that it is of
RoundEnd end_of(const Trial& trial, bool of_sum);

}  // namespace outrider::cost
