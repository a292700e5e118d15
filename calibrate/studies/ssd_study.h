#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/ssd/draft_agreement.h"
#include "calibrate/studies/drafter_study.h"
#include "calibrate/studies/study_trials.h"

namespace outrider::calibrate {

/// What `calibrate ssd` found out.
struct SsdFindings {
  std::string draft;                          // the draft model's name
  std::map<double, SsdAtTemperature> drafts;  // by temperature
  StudyTrials tried;                          // of the same temperatures, priced

  /// The cost coefficient of Leviathan et al. (2023).
  double c() const { return tried.drafting.share_of(1); }
};

/// How often a draft model draws the target's tokens, and which rounds of it are the fastest.
class SsdStudy {
 public:
  /// Reads all that it is about. @param target, options, watch  must outlive it
  /// @throws InputError where there is no draft model, or its traces are another target's
  SsdStudy(inference::Target& target, const DrafterStudyOptions& options, Watch& watch);

  /// Finds it out and writes the trials of ssd. @throws Interrupted, and PartDone where this process has a share
  SsdFindings run();

 private:
  StudyTrials priced_rounds();
  void measure(int context, cost::DraftingCost& drafting);
  void time_with(const std::shared_ptr<const methods::LoadedDraft>& draft, int context,
                 cost::DraftingCost& drafting);
  void try_answers();

  const DrafterStudyOptions& options_;
  DrafterStudy study_;
  std::shared_ptr<const methods::LoadedDraft> draft_;
  std::vector<Answer> answers_;
  std::map<double, SsdAtTemperature> drafts_;
};

}  // namespace outrider::calibrate
