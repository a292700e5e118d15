#pragma once

#include <vector>

#include "calibrate/answers/work_ahead.h"
#include "calibrate/ngrams/bigram_table.h"
#include "runtime/cli/time_limit.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

// What studies of texts do, and how long it takes: each times its own work on a sample.

/// Of `calibrate heads`, once its answers are there.
std::vector<cli::PlannedPart> heads_parts(engine::Engine& target, const WorkAhead& ahead);

/// Of `calibrate layer`.
std::vector<cli::PlannedPart> layer_parts(engine::Engine& target, const WorkAhead& ahead);

/// Of a table of `calibrate ngrams`. @param begun  with the rows that are there
std::vector<cli::PlannedPart> bigram_parts(engine::Engine& target, const BigramTable& begun,
                                           int batch);

/// Of the settings that it tries, with made-up tables. @param top  next tokens of a token
cli::PlannedPart ngram_settings_part(const WorkAhead& ahead, int vocab, int top);

}  // namespace outrider::calibrate
