#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace outrider::draft {

/// How many of the tokens after a source were accepted, by class of source, and what passes cost there: what
/// decides at each step how long a draft of PLD+ should be.
struct PldPlusLengths {
  // The class of a number: how many of the bounds are not above it.
  std::vector<float> score_bounds;         // [s - 1] ascending: of the source's score
  std::vector<std::int32_t> match_bounds;  // [m - 1] ascending: of the tokens that match before it
  std::vector<std::int64_t> sources;       // [s, m] that were looked at
  std::vector<std::int64_t> accepted;      // [s, m, longest] of these, the first i + 1 tokens
  std::vector<double> seconds;             // [1 + longest] of passes of 1, 2, … rows
  std::string machine;                     // that took these
  // Predicted on the half of the prompts that was not counted:
  double tokens_per_second = 0;
  double fixed_tokens_per_second = 0;  // with the best of all fixed lengths and thresholds

  std::size_t classes() const { return sources.size(); }
  std::size_t class_of(float score, int matching) const;
  int longest() const { return static_cast<int>(seconds.size()) - 1; }
  bool is_faster() const { return tokens_per_second > fixed_tokens_per_second; }
};

}  // namespace outrider::draft
