#pragma once

#include <optional>
#include <vector>

#include "calibrate/pld_plus/copy_table.h"
#include "calibrate/replay/replay.h"
#include "runtime/draft/copy/pld_plus_lengths.h"

namespace outrider::calibrate {

/// Counts how far what stands behind the best source of each position was said there, in eight classes of
/// scores with as many positions each, and six of matching tokens.
/// @param table  of one ranking
draft::PldPlusLengths count_lengths(const CopyTable& table);

/// Counts on one half of the prompts and compares on the other with the best of all fixed lengths and
/// thresholds there. Nothing where a half has nothing to show. The machine is left for the caller to
/// fill in.
/// @param table      of one ranking
/// @param otherwise  the length where too little was seen
std::optional<draft::PldPlusLengths> choose_lengths(const CopyTable& table,
                                                    const std::vector<double>& thresholds,
                                                    int otherwise, const PassSeconds& pass_seconds);

}  // namespace outrider::calibrate
