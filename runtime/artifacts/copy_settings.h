#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/artifacts/copy_lengths.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// How long the drafts of PLD+ should be and how well liked, in answers at one temperature and on the
/// machine that found it out. The longer a draft, the more of it is accepted, so it is the predicted
/// speed that decides.
struct CopySettings {
  std::optional<double> temperature;        // not there in files of old: of answers at any
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
  /// A length for each step, without a threshold. Not there where too little was said, and in files of
  /// old.
  std::optional<CopyLengths> by_step;
};

/// "temperature 0.5": of which answers these are; "any temperature" in files of old.
std::string temperature_name(const CopySettings& settings);

/// Those of the nearest temperature; of two equally near ones the lower's. @param all  at least one
const CopySettings& nearest_settings(const std::vector<CopySettings>& all, double temperature);

/// As the groups "settings/0", "settings/1", … below `group`.
/// @param all  by temperature, ascending
void write_copy_settings(const std::vector<CopySettings>& all, hdf5::Writer& file,
                         const std::string& group);
/// At least one. @throws InputError for what is not such a group
std::vector<CopySettings> read_copy_settings(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
