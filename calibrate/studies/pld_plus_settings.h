#pragma once

#include <vector>

#include "calibrate/answers/answer.h"
#include "calibrate/pld_plus/copy_table.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/draft/copy/pld_plus_settings.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Chooses the fastest setting for the answers of each temperature from the times of passes after
/// as many tokens as precede an answer's token on average (see `pass_costs`), and lengths for each
/// step from the same times; uses all answers where those of a temperature are too few.
/// @param table  of one ranking, of the answers
std::vector<draft::PldPlusSettings> find_settings(const engine::Engine& target,
                                                  const std::vector<Answer>& answers,
                                                  const std::vector<double>& thresholds,
                                                  const artifacts::ArtifactSet& known,
                                                  const CopyTable& table);

}  // namespace outrider::calibrate
