#pragma once

#include "calibrate/answers/find_answers.h"
#include "calibrate/studies/study_files.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::calibrate {

/// What a search is given that looks for the best way to find the sources of PLD+'s copies.
struct CopyStudy {
  AnswerSource answers;
  int draft_length = methods::kDraftLength;  // when ways are compared
  StudyFiles files;
};

}  // namespace outrider::calibrate
