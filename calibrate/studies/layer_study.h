#pragma once

#include "calibrate/answers/find_answers.h"
#include "calibrate/studies/study_trials.h"
#include "runtime/draft/copy/pld_plus_layer.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::calibrate {

/// A search for the layer whose hidden states rank sources to copy from best, for `--method pld-plus-h`, and for the weight
/// of logits.
struct LayerStudy {
  AnswerSource answers;
  int draft_length = methods::kDraftLength;  // when layers are compared
  StudyFiles files;
};

struct FoundLayer {
  draft::PldPlusLayer layer;
  StudyTrials tried;  // of draft lengths and thresholds with this layer
};

/// Finds it and writes the artifact's groups. An interrupted study goes on beside the artifact file.
/// @throws InputError as find_answers; PartDone, Interrupted
FoundLayer find_layer(inference::Target& target, const LayerStudy& study, Watch& watch);

}  // namespace outrider::calibrate
