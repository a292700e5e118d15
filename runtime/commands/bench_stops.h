#pragma once

#include <string>

#include "runtime/commands/bench_grid.h"

namespace outrider {

/// Decodes every prompt with the target alone and with a draft model under each stop policy, in turns, and
/// prints the tables of DISCO (Mamou et al. 2024): --draft-stop static with 5 tokens and as calibrated,
/// heuristic, confidence, disco and oracle.
/// @param flags      those that --grid shares, --draft and --verify; --method is not read
/// @param json_path  a file for the figures; empty: none
/// @throws InputError, also where a policy was not calibrated or trained for the draft model; CheckFailed
///         should a text differ from the plain one
void bench_stops(const cli::TargetFlags& target, const GridFlags& flags,
                 const std::string& json_path);

}  // namespace outrider
