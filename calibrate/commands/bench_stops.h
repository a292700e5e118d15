#pragma once

#include <string>

#include "calibrate/commands/bench_grid.h"

namespace outrider::calibrate {

/// Decodes every prompt with the target alone and with a draft model under each stop policy, in turns, and
/// prints the tables of DISCO (Mamou et al. 2024): --draft-stop static with 5 tokens and with the length that is
/// best, heuristic, confidence, path, disco as published, classifier and oracle. Lengths and thresholds are those that `train disco` chose
/// on this machine, all on the same texts, else those of calibration.
/// @param flags      those that --grid shares, --draft and --verify; --method is not read
/// @param rounds     of decoding each text
/// @param json_path  a file for the figures; empty: none
/// @throws InputError, also where a policy was not calibrated or trained for the draft model; CheckFailed
///         should a text differ from the plain one
void bench_stops(const cli::TargetFlags& target, const GridFlags& flags, int rounds,
                 const std::string& json_path);

}  // namespace outrider::calibrate
