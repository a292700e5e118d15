#pragma once

#include <string>

#include "runtime/cost/tree_settings.h"

namespace outrider::calibrate {

/// What `calibrate tree` found out.
struct TreeFindings {
  std::string draft;   // the drafter's file
  std::string method;  // that drafts with it
  cost::MachineTreeSettings settings;
  std::string cost_origin;
};

/// Tables for a person.
std::string tree_findings_text(const TreeFindings& found);
/// One JSON object on a line.
std::string tree_findings_json(const TreeFindings& found);

}  // namespace outrider::calibrate
