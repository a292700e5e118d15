#pragma once

#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "calibrate/pld_plus/copy_table.h"
#include "calibrate/studies/study_trials.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/draft/copy/pld_plus_lengths.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// What was tried of PLD+ and learned of its lengths.
struct CopyTrials {
  StudyTrials tried;
  std::vector<draft::PldPlusTemperature> temperatures;  // of all answers
};

/// Tries lengths and thresholds on the answers of each temperature, and chooses lengths for each step by the times of passes
/// after as many tokens as precede an answer's token on average (see `pass_costs`); uses all answers where those of a
/// temperature are too few.
/// @param thresholds  as of try_lengths
/// @param table       of one ranking, of the answers
CopyTrials try_copies(const engine::Engine& target, const std::vector<Answer>& answers,
                      const std::vector<double>& thresholds, const artifacts::ArtifactSet& known,
                      const CopyTable& table);

}  // namespace outrider::calibrate
