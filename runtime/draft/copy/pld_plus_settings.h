#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/draft/copy/pld_plus_lengths.h"

namespace outrider::draft {

/// Draft length and threshold of PLD+ for answers at one temperature on the measured machine. Longer drafts
/// always have more accepted tokens, so they are chosen by predicted speed.
struct PldPlusSettings {
  std::optional<double> temperature;        // absent in older files: any temperature
  int context = 0;                          // tokens before the timed passes
  double plain_tokens_per_second = 0;       // of passes of one row
  std::vector<std::int32_t> draft_lengths;  // [k] tried
  std::vector<double> thresholds;           // [h] cosines; -1: none
  std::vector<double> tokens_per_pass;      // [k, h]
  std::vector<double> drafted_per_pass;     // [k, h]
  std::vector<double> tokens_per_second;    // [k, h] predicted from the times of passes
  // The settings with the most tokens per second:
  int draft_length = 0;
  double threshold = -1;
  /// Per-step lengths, without a threshold. Absent if too little was copied, and in older files.
  std::optional<PldPlusLengths> by_step;
};

/// "temperature 0.5", or "any temperature" for older files.
std::string temperature_name(const PldPlusSettings& settings);

/// The settings with the speeds of a machine with these passes, and the fastest there. Acceptance
/// and the gain of lengths by step over a fixed one stay what they were. A draft is taken to be as
/// long as it may be or not to be made at all, as nearly all of up to ten tokens are: within 0.4 %
/// of replaying every pass.
/// @param pass_seconds  of a pass over this many rows
PldPlusSettings priced(PldPlusSettings settings,
                       const std::function<double(int rows)>& pass_seconds);

/// Predicted speed over plain decoding with the fastest settings, lengths by step among them; 0: unknown.
double speed_up(const PldPlusSettings& settings);

}  // namespace outrider::draft
