#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/draft/copy/draft_lengths.h"
#include "runtime/methods/calibrated_trials.h"

namespace outrider::methods {

/// What the help of --draft-length says of these methods.
inline constexpr const char* kLengthHelp =
    "10 where nothing was calibrated; 0, at each step the fastest number, as calibrated";

/// What calibration found out about PLD+'s drafts, for one target.
struct CalibratedCopies {
  std::optional<CalibratedTrials> trials;        // of their lengths and thresholds
  std::optional<draft::PldPlusLengths> by_step;  // at the nearest temperature

  /// @param method     "pld-plus-h"
  /// @param artifacts  the setting
  /// @param found      PldPlusHeads or PldPlusLayer
  template <typename Found>
  static CalibratedCopies of(const MethodTarget& target, const std::string& method,
                             const std::string& artifacts, const Found& found) {
    return find(target, method, artifacts, found.choice(), found.temperatures);
  }

  /// The predicted speed-up of the fastest drafts over plain decoding; 0: unknown.
  double speed_up(Method& method) const;

  /// The lengths for each step, where those are used: a draft length of 0, or nothing where they were found faster. Gives
  /// what has no value else the best trial's. The fastest depend on the times of passes: see find_calibrated_trials.
  /// Lengths by step depend on the text's length too where those of this machine are known.
  /// @param draft_length    the method's setting
  /// @param least_speed_up  of draft::DraftLengths
  draft::DraftLengthsPtr take(const MethodTarget& target, Method& method,
                              std::optional<int>& draft_length, double least_speed_up) const;

 private:
  static CalibratedCopies find(const MethodTarget& target, const std::string& method,
                               const std::string& artifacts, const std::string& choice,
                               const std::vector<draft::PldPlusTemperature>& temperatures);
};

}  // namespace outrider::methods
