#pragma once

#include <filesystem>
#include <string>

#include "calibrate/commands/answers.h"
#include "calibrate/commands/result_options.h"
#include "runtime/draft/ngram/table_ngrams.h"

namespace outrider::calibrate {

/// Predicts on this machine how fast `ngrammys` is with every number and length of drafts, by
/// replaying the answers, and leaves the grid in the artifact file.
/// @return what was found, for a person
/// @throws Interrupted
std::string calibrate_grid(inference::Target& target, const AnswerOptions& options,
                           const Answers& answers, const draft::TablesPtr& tables,
                           const ResultOptions& result);

}  // namespace outrider::calibrate
