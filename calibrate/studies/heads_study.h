#pragma once

#include "calibrate/answers/find_answers.h"
#include "calibrate/studies/study_trials.h"
#include "runtime/draft/copy/pld_plus_heads.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::calibrate {

/// A search for the heads that attend to the source of copied tokens, for `--method pld-plus-a`. Heads are ranked on every
/// other prompt; on the others all numbers of heads are tried.
struct HeadsStudy {
  AnswerSource answers;
  int draft_length = methods::kDraftLength;  // when heads are compared
  StudyFiles files;
};

struct FoundHeads {
  draft::PldPlusHeads heads;
  std::int64_t tokens = 0;  // that heads were ranked by
  StudyTrials tried;        // of draft lengths with these heads

  /// The smallest number of them for a reliable ranking.
  static constexpr std::int64_t kEnoughTokens = 20'000;
};

/// Finds them and writes the artifact's groups. An interrupted study goes on beside the artifact file.
/// @throws InputError where no answer repeats a token of its prompt; PartDone, Interrupted
FoundHeads find_heads(inference::Target& target, const HeadsStudy& study, Watch& watch);

}  // namespace outrider::calibrate
