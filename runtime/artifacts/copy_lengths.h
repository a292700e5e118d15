#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// How far what stands behind a place to copy from was said again, in classes of places, and what passes
/// cost there: what decides at each step how long a draft of PLD+ should be.
struct CopyLengths {
  // A number is of the class that is as many as there are bounds not above it.
  std::vector<float> score_bounds;         // [s - 1] ascending: how well the place is liked
  std::vector<std::int32_t> match_bounds;  // [m - 1] ascending: tokens before it that match
  std::vector<std::int64_t> places;        // [s, m] that were looked at
  std::vector<std::int64_t> said;  // [s, m, longest] behind how many the first i + 1 were said
  std::vector<double> seconds;     // [1 + longest] of passes of 1, 2, … rows
  std::string machine;             // that took these
  // Predicted on the half of the prompts that was not counted:
  double tokens_per_second = 0;
  double fixed_tokens_per_second = 0;  // with the best of all fixed lengths and thresholds

  std::size_t classes() const { return places.size(); }
  std::size_t class_of(float score, int matching) const;
  int longest() const { return static_cast<int>(seconds.size()) - 1; }
  bool is_faster() const { return tokens_per_second > fixed_tokens_per_second; }
};

/// As the group `group`.
void write_copy_lengths(const CopyLengths& lengths, hdf5::Writer& file, const std::string& group);
/// @throws InputError for what is not such a group
CopyLengths read_copy_lengths(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
