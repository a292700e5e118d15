#pragma once

#include <map>
#include <string>

#include "calibrate/draft/draft_agreement.h"
#include "calibrate/studies/study_trials.h"

namespace outrider::calibrate {

/// What `calibrate draft` found out.
struct DraftFindings {
  std::string draft;                             // the draft model's name
  std::map<double, DraftsAtTemperature> drafts;  // by temperature
  StudyTrials tried;                             // of the same temperatures, priced

  /// The cost coefficient of Leviathan et al. (2023).
  double c() const { return tried.drafting.share_of(1); }
};

/// Tables for a person.
std::string draft_findings_text(const DraftFindings& found);
/// One JSON object on a line.
std::string draft_findings_json(const DraftFindings& found);

}  // namespace outrider::calibrate
