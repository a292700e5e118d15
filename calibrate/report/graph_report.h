#pragma once

#include <string>
#include <vector>

#include "calibrate/graph/graph_trial.h"
#include "calibrate/graph/redundancy.h"
#include "calibrate/graph/tree_recorder.h"
#include "runtime/cost/drafting_cost.h"
#include "runtime/cost/trials.h"

namespace outrider::calibrate {

/// What `calibrate graph` found out at one temperature.
struct GraphsAtTemperature {
  cost::TemperatureTrials tsd, gsd;  // with the speeds of this machine
  std::int64_t cut = 0;              // recorded trees that reached the limit of nodes
  std::vector<Redundancy> redundancy;

  cost::TemperatureTrials& of_method(bool merges) { return merges ? gsd : tsd; }
  const cost::TemperatureTrials& of_method(bool merges) const { return merges ? gsd : tsd; }
  /// Of the best graph.
  double speed_up() const;
};

/// What `calibrate graph` found out.
struct GraphFindings {
  std::string draft;  // the draft model's name
  cost::DraftingCost drafting;
  int context = 0;
  std::vector<GraphsAtTemperature> by_temperature;
  std::string cost_origin;
  RecordingLimits recording;
  int vocabulary = 0;  // tokens that the draft model can propose
};

/// The trials of tsd, or of gsd, which merges.
cost::Trials trials_of(const GraphFindings& found, bool merges);

/// Tables for a person.
std::string graph_findings_text(const GraphFindings& found);
/// One JSON object on a line.
std::string graph_findings_json(const GraphFindings& found);

}  // namespace outrider::calibrate
