#pragma once

#include <optional>
#include <vector>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/draft/copy/draft_lengths.h"
#include "runtime/draft/copy/pld_plus_settings.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// How long the drafts of PLD+ are, and from which score on there is one.
struct PldPlusLengths {
  std::optional<int> draft_length;  // 0: as `by_step` chooses
  std::optional<double> threshold;
  draft::DraftLengthsPtr by_step = nullptr;

  /// Takes what was found to be faster where there is no value, one length or one for each step, in answers
  /// at the temperature nearest to the target's. What passes cost decides the lengths of steps: here, if
  /// that was measured, or where they were found.
  /// @param same_scores  whether places are scored as where these were found; a length alone is good
  ///                     with other scores too
  void take(const std::vector<draft::PldPlusSettings>& all, bool same_scores,
            const artifacts::ArtifactSet& known, const MethodTarget& target);
  /// @throws InputError for draft length 0 without lengths for each step
  void resolve();
};

}  // namespace outrider::methods
