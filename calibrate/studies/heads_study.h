#pragma once

#include "calibrate/studies/copy_study.h"
#include "calibrate/studies/study_trials.h"
#include "runtime/draft/copy/pld_plus_heads.h"

namespace outrider::calibrate {

struct FoundHeads {
  draft::PldPlusHeads heads;
  std::int64_t tokens = 0;  // that heads were ranked by
  StudyTrials tried;        // of draft lengths with these heads

  /// The smallest number of them for a reliable ranking.
  static constexpr std::int64_t kEnoughTokens = 20'000;
};

/// Finds the heads that attend to the source of copied tokens, for `--method pld-plus-a`, and writes the artifact's groups.
/// Heads are ranked on every other prompt; on the others all numbers of heads are tried. An interrupted study goes on beside
/// the artifact file.
/// @throws InputError where no answer repeats a token of its prompt; PartDone, Interrupted
FoundHeads find_heads(inference::Target& target, const CopyStudy& study, Watch& watch);

}  // namespace outrider::calibrate
