#pragma once

#include <filesystem>
#include <string>

#include "calibrate/commands/answers.h"
#include "calibrate/commands/result_options.h"
#include "runtime/draft/ngram/ngram_tables.h"

namespace outrider::calibrate {

/// Predicts the speed of `ngrammys` on this machine for every number and length of drafts, by
/// replaying the answers of each temperature, and writes the grids to the artifact file.
/// @return the result as text
/// @throws Interrupted
std::string calibrate_grid(inference::Target& target, const AnswerOptions& options,
                           const Answers& answers, const draft::TablesPtr& tables,
                           const ResultOptions& result);

}  // namespace outrider::calibrate
