#pragma once

#include <optional>
#include <vector>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/draft/copy/draft_lengths.h"
#include "runtime/draft/copy/pld_plus_settings.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// What the help of --draft-length says of these methods.
inline constexpr const char* kLengthHelp =
    "10 where nothing was calibrated; 0, at each step the fastest number, as calibrated";

/// The lengths of PLD+ drafts, and the score below which there is none.
struct PldPlusLengths {
  std::optional<int> draft_length;  // 0: as `by_step` chooses
  std::optional<double> threshold;
  draft::DraftLengthsPtr by_step = nullptr;
  double least_speed_up = 1;  // of draft::DraftLengths

  /// Fills in settings without a value from calibration, one length or one for each step, found
  /// with answers at the temperature nearest to the target's. The fastest depend on the times of
  /// passes: see settings_here. Per-step lengths
  /// depend on the text's length too where this machine's costs are known.
  /// @param same_scores  whether sources are scored as in the calibration; a length alone applies
  ///                     to other scores too
  void take(const std::vector<draft::PldPlusSettings>& all, bool same_scores,
            const artifacts::ArtifactSet& known, const MethodTarget& target);
  /// @throws InputError for draft length 0 without lengths for each step
  void resolve();
};

}  // namespace outrider::methods
