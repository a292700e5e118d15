#pragma once

#include <cstddef>
#include <vector>

#include "calibrate/answers/answer.h"
#include "runtime/draft/parallel/followers.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::calibrate {

/// A depth of what a drafter may draft after a text.
struct RecordedLevel {
  double log_best = 0;  // logarithm of the largest probability of its slot
  std::vector<sampling::RankedToken>
      tokens;  // best first: as they are drafted there, or a short list of these
};

/// The depths after consecutive positions of an answer, of which every tree is made.
struct RecordedLevels {
  const Answer* answer = nullptr;
  std::size_t first = 0;              // the position of the first token that is drafted
  int depths = 0;                     // of a position
  std::vector<RecordedLevel> levels;  // [positions, depths]
  draft::Following following = {};    // what short lists are ranked by

  std::size_t positions() const { return levels.size() / static_cast<std::size_t>(depths); }
  /// @param position  of the answer @param depth  from 0
  const RecordedLevel& at(std::size_t position, int depth) const {
    return levels[(position - first) * static_cast<std::size_t>(depths) +
                  static_cast<std::size_t>(depth)];
  }
};

}  // namespace outrider::calibrate
