#pragma once

#include <optional>
#include <vector>

#include "calibrate/gsd/redundancy.h"
#include "calibrate/gsd/tree_recorder.h"
#include "calibrate/trials/stretches.h"
#include "data/journal/journal_file.h"

namespace outrider::calibrate {

/// What is found out at the positions of a stretch: the draft model's trees, and what their branches have in common.
struct StretchRecord {
  RecordedStretch stretch;
  std::vector<Redundancy> redundancy;  // by number of children, from 2 on
};

/// A record as numbers for the journal.
data::JournalEntry entry_of(const StretchRecord& record);
/// And back. @param empty  a tree without nodes, of the same draft model
/// @return nothing for numbers that are none of this stretch
std::optional<StretchRecord> record_of(const data::JournalEntry& entry, const Stretch& stretch,
                                       const RecordedTree& empty);

/// Adds what was found in other trees. @param sums  empty, or of the same numbers of children
void add(const std::vector<Redundancy>& more, std::vector<Redundancy>& sums);

}  // namespace outrider::calibrate
