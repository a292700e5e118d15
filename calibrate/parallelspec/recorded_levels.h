#pragma once

#include <cstddef>
#include <vector>

#include "calibrate/answers/answer.h"
#include "data/journal/journal.h"
#include "runtime/draft/parallelspec/likely_tokens.h"

namespace outrider::calibrate {

/// The depths after consecutive positions of an answer, of which every tree is made.
struct RecordedLevels {
  const Answer* answer = nullptr;
  std::size_t first = 0;  // the position of the first token that is drafted
  int depths = 0;         // of a position
  std::vector<draft::RankedDepth>
      levels;  // [positions, depths] with short lists, or all that is drafted
  draft::PairWeights pair_weights = {};  // what short lists are ranked by

  std::size_t positions() const { return levels.size() / static_cast<std::size_t>(depths); }
  /// @param position  of the answer @param depth  from 0
  const draft::RankedDepth& at(std::size_t position, int depth) const {
    return levels[(position - first) * static_cast<std::size_t>(depths) +
                  static_cast<std::size_t>(depth)];
  }
};

/// The levels as numbers for the journal, and back. @return false for numbers that are none
data::Journal::Entry entry_of(const RecordedLevels& recorded);
bool restore(const data::Journal::Entry& entry, RecordedLevels& recorded);

}  // namespace outrider::calibrate
