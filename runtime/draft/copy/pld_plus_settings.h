#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/draft/copy/pld_plus_lengths.h"

namespace outrider::draft {

/// How long the drafts of PLD+ should be, and from which score on, in answers at one temperature and on the
/// machine that measured it. The longer a draft, the more of it is accepted, so it is the predicted
/// speed that decides.
struct PldPlusSettings {
  std::optional<double> temperature;        // absent in older files: of answers at any
  int context = 0;                          // tokens before the passes that were timed
  double plain_tokens_per_second = 0;       // of passes of one row
  std::vector<std::int32_t> draft_lengths;  // [k] the K that were tried
  std::vector<double> thresholds;           // [h] cosines; -1: none
  std::vector<double> tokens_per_pass;      // [k, h]
  std::vector<double> drafted_per_pass;     // [k, h]
  std::vector<double> tokens_per_second;    // [k, h] predicted from the times of passes
  // With the most tokens per second:
  int draft_length = 0;
  double threshold = -1;
  /// A length for each step, without a threshold. Absent where too little was copied, and in older files.
  std::optional<PldPlusLengths> by_step;
};

/// "temperature 0.5": of which answers these are; "any temperature" in older files.
std::string temperature_name(const PldPlusSettings& settings);

/// Those of the nearest temperature; of two equally near ones the lower's. @param all  at least one
const PldPlusSettings& nearest_settings(const std::vector<PldPlusSettings>& all,
                                        double temperature);

}  // namespace outrider::draft
