#pragma once

#include <optional>
#include <vector>

#include "calibrate/pld_plus/copy_table.h"
#include "calibrate/replay/replay.h"
#include "runtime/draft/copy/pld_plus_lengths.h"

namespace outrider::calibrate {

/// Counts the correct tokens after the best source of each position, in eight classes of scores
/// with equally many positions, and six of matching tokens.
/// @param table  of one ranking
draft::PldPlusLengths count_lengths(const CopyTable& table);

/// Counts on one half of the prompts and compares on the other with the best of all fixed lengths
/// and thresholds there. Nothing where a half has no such positions. The caller fills in the
/// machine.
/// @param table      of one ranking
/// @param thresholds as of try_lengths
/// @param otherwise  the length for classes with too few positions
std::optional<draft::PldPlusLengths> choose_lengths(const CopyTable& table,
                                                    const std::vector<double>& thresholds,
                                                    int otherwise,
                                                    const cost::PassSeconds& pass_seconds);

}  // namespace outrider::calibrate
