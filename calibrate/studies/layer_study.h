#pragma once

#include "calibrate/studies/copy_study.h"
#include "calibrate/studies/study_trials.h"
#include "runtime/draft/copy/pld_plus_layer.h"

namespace outrider::calibrate {

struct FoundLayer {
  draft::PldPlusLayer layer;
  StudyTrials tried;  // of draft lengths and thresholds with this layer
};

/// Finds the layer whose hidden states rank sources to copy from best, for `--method pld-plus-h`, and the weight of logits,
/// and writes the artifact's groups. An interrupted study goes on beside the artifact file.
/// @throws InputError as find_answers; PartDone, Interrupted
FoundLayer find_layer(inference::Target& target, const CopyStudy& study, Watch& watch);

}  // namespace outrider::calibrate
