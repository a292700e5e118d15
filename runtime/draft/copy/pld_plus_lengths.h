#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace outrider::draft {

/// Acceptance of the tokens after a source, by class of source, and the cost of passes: the data that choose
/// PLD+'s draft length at each step.
struct PldPlusLengths {
  // The class of a number is the number of bounds that are not above it.
  std::vector<float> score_bounds;         // [s - 1] of the source's score, ascending
  std::vector<std::int32_t> match_bounds;  // [m - 1] of matching tokens before it, ascending
  std::vector<std::int64_t> sources;       // [s, m] counted
  std::vector<std::int64_t>
      accepted;                 // [s, m, longest] of these, with at least i + 1 tokens accepted
  std::vector<double> seconds;  // [1 + longest] of passes of 1, 2, … rows
  int otherwise = 0;            // the length for classes with too few sources
  std::string machine;          // on which they were timed
  // Predicted on held-out prompts:
  double tokens_per_second = 0;
  double fixed_tokens_per_second = 0;  // with the best of all fixed lengths and thresholds

  std::size_t classes() const { return sources.size(); }
  std::size_t class_of(float score, int matching) const;
  int longest() const { return static_cast<int>(seconds.size()) - 1; }
  bool is_faster() const { return tokens_per_second > fixed_tokens_per_second; }
  /// How many times as fast as the best of the fixed lengths, which are there too: at least 1.
  double gain() const;
};

/// What was learned of answers at one temperature.
struct PldPlusTemperature {
  double temperature = 0;
  std::optional<PldPlusLengths> by_step = {};  // nothing: too little was copied
};

}  // namespace outrider::draft
