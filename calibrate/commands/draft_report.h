#pragma once

#include <map>
#include <string>

#include "calibrate/draft/draft_agreement.h"

namespace outrider::calibrate {

/// What `calibrate draft` found out, by temperature.
struct DraftFindings {
  std::string draft;  // the draft model's name
  std::map<double, DraftsAtTemperature> trials;
  cost::MachineDraftSettings settings;  // of the same temperatures
  std::string cost_origin;
};

/// Tables for a person.
std::string draft_findings_text(const DraftFindings& found);
/// One JSON object on a line.
std::string draft_findings_json(const DraftFindings& found);

}  // namespace outrider::calibrate
