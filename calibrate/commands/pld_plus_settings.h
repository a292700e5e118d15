#pragma once

#include <vector>

#include "calibrate/answers/answer.h"
#include "calibrate/pld_plus/copy_table.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/draft/copy/pld_plus_settings.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Chooses, for the answers of each temperature, the setting that is the fastest by what passes cost
/// behind as many tokens as all answers have before them on average: see `pass_costs`; and lengths for
/// each step, by the same costs; of all answers where those of a temperature are too few.
/// @param table  of one ranking, of the answers
std::vector<draft::PldPlusSettings> find_settings(const engine::Engine& target,
                                                  const std::vector<Answer>& answers,
                                                  const std::vector<double>& thresholds,
                                                  const artifacts::ArtifactSet& known,
                                                  const CopyTable& table);

}  // namespace outrider::calibrate
