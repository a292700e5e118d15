#include "calibrate/commands/graph_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "calibrate/graph/graph_search.h"
#include "runtime/report/line_chart.h"

namespace outrider::calibrate {
namespace {

using cost::GraphSettings;
using cost::GraphTrial;
using report::Drawing;
using ValueOf = double (*)(const GraphTrial&);

std::vector<double> values_of(const GraphSettings& found,
                              const std::vector<cost::GraphSetting>& settings, ValueOf value_of) {
  std::vector<double> values;
  for (const cost::GraphSetting& setting : settings)
    values.push_back(value_of(*found.trial_of(setting)));
  return values;
}

Drawing axis_chart(const GraphSettings& found, const PublishedAxis& axis, const char* name,
                   ValueOf value_of) {
  report::LineChart chart{
      fmt::format("temperature {:g}", found.temperature), axis.name, name, axis.x, {}};
  if (!axis.trees.empty()) chart.lines.emplace_back("tsd", values_of(found, axis.trees, value_of));
  chart.lines.emplace_back("gsd", values_of(found, axis.graphs, value_of));
  return report::drawn(chart);
}

/// The fastest setting of each number of children.
Drawing speed_chart(const GraphSettings& found, int most_children) {
  report::LineChart chart{fmt::format("temperature {:g}, fastest settings", found.temperature),
                          "children of a node",
                          "predicted speed-up",
                          {},
                          {}};
  std::vector<double> trees, graphs;
  for (int children = 1; children <= most_children; ++children) {
    chart.x.push_back(children);
    for (const bool merges : {false, true})
      (merges ? graphs : trees)
          .push_back(found.best(merges, {.children = children}).tokens_per_second /
                     found.plain_tokens_per_second);
  }
  chart.lines = {{"tsd", trees}, {"gsd", graphs}};
  return report::drawn(chart);
}

}  // namespace

std::string plot_of(const cost::MachineGraphSettings& found, const RecordingLimits& limits) {
  std::vector<Drawing> rows;
  for (const GraphSettings& one : found.by_temperature) {
    std::vector<Drawing> tokens, drafted, accepted;
    for (const PublishedAxis& axis : published_axes(limits)) {
      if (axis.x.empty()) continue;
      tokens.push_back(axis_chart(one, axis, "tokens per pass",
                                  [](const GraphTrial& t) { return t.tokens_per_pass(); }));
      drafted.push_back(axis_chart(one, axis, "drafted nodes per round",
                                   [](const GraphTrial& t) { return t.drafted_per_round(); }));
      accepted.push_back(axis_chart(one, axis, "accepted of output tokens",
                                    [](const GraphTrial& t) { return t.acceptance(); }));
    }
    tokens.push_back(speed_chart(one, limits.children));
    rows.push_back(report::beside(tokens));
    rows.push_back(report::beside(drafted));
    rows.push_back(report::beside(accepted));
  }
  return report::svg_of(report::below(rows));
}

}  // namespace outrider::calibrate
