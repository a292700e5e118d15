#pragma once

#include <cstdint>
#include <vector>

#include "calibrate/answers/work_ahead.h"
#include "calibrate/ngrammys/bigram_table.h"
#include "runtime/base/watch.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

// What studies of texts do, and how long it takes: each times its own work on a sample.

/// Of `calibrate heads`, once its answers are there. @param counted, tried  what its two parts have still to do
std::vector<PlannedPart> heads_parts(engine::Engine& target, const WorkAhead& counted,
                                     const WorkAhead& tried);

/// Of `calibrate layer`. @param every, averaged  likewise
std::vector<PlannedPart> layer_parts(engine::Engine& target, const WorkAhead& every,
                                     const WorkAhead& averaged);

/// Of a table of `calibrate ngrammys`.
/// @param begun    with rows that are there
/// @param missing  the rows to be found
std::vector<PlannedPart> bigram_parts(engine::Engine& target, const BigramTable& begun, int batch,
                                      std::int64_t missing);

/// Of the settings that it tries, with made-up tables. @param top  next tokens of a token
PlannedPart ngram_settings_part(const WorkAhead& ahead, int vocab, int top);

}  // namespace outrider::calibrate
