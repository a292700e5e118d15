#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/answers/work_ahead.h"
#include "calibrate/studies/study_files.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/inference/target.h"

namespace outrider::calibrate {

/// A study of `calibrate all`.
struct MissingStudy {
  std::string name;                // of its command: "heads"
  std::vector<std::string> flags;  // besides those of every study
  /// Why it is left out: the model has its result, or nothing that it would be for. Once it is done, that. Else empty.
  std::string outcome = {};
  bool needs_traces = true;
  std::optional<double> seconds = {};  // nothing: it says so itself when it begins

  /// "calibrate heads", with what tells it from others of its name.
  std::string command() const;
};

/// All studies in the order in which they are done.
/// @param known         what there is for the target already
/// @param again         whether that is done again
/// @param cost_minutes  of `calibrate cost`
std::vector<MissingStudy> missing_studies(const artifacts::ArtifactSet& known,
                                          const engine::Engine& engine, bool again,
                                          double cost_minutes);

/// Fills in how long studies take that are known before they begin.
/// @param ahead    the texts that they work on
/// @param answers  of these texts; empty where some are still to be made
/// @param files    that studies write to, beside which lies what is done of heads and layers
void estimate(inference::Target& target, const WorkAhead& ahead, const std::vector<Answer>& answers,
              const StudyFiles& files, std::vector<MissingStudy>& studies);

}  // namespace outrider::calibrate
