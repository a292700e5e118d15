#pragma once

#include <string>
#include <vector>

#include "calibrate/graph/redundancy.h"
#include "calibrate/graph/tree_recorder.h"
#include "runtime/cost/graph_settings.h"

namespace outrider::calibrate {

/// What `calibrate graph` found out.
struct GraphFindings {
  std::string draft;  // the draft model's name
  cost::MachineGraphSettings settings;
  std::vector<std::vector<Redundancy>> redundancy;  // [settings.by_temperature]
  std::string cost_origin;
  RecordingLimits recording;
  int vocabulary = 0;  // tokens that the draft model can propose
};

/// Tables for a person.
std::string graph_findings_text(const GraphFindings& found);
/// One JSON object on a line.
std::string graph_findings_json(const GraphFindings& found);

}  // namespace outrider::calibrate
