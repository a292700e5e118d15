#include "calibrate/report/gsd_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "calibrate/gsd/gsd_search.h"
#include "runtime/methods/gsd.h"
#include "runtime/report/line_chart.h"

namespace outrider::calibrate {
namespace {

using cost::Trial;
using report::Drawing;
using ValueOf = double (*)(const Trial&);

std::vector<double> values_of(const cost::TemperatureTrials& found,
                              const std::vector<GsdSetting>& settings, ValueOf value_of) {
  std::vector<double> values;
  for (const GsdSetting& setting : settings)
    values.push_back(value_of(*found.find(setting.values())));
  return values;
}

Drawing axis_chart(const GsdAtTemperature& found, const PublishedAxis& axis, const char* name,
                   ValueOf value_of) {
  report::LineChart chart{
      fmt::format("temperature {:g}", found.tsd.temperature), axis.name, name, axis.x, {}};
  if (!axis.trees.empty())
    chart.lines.emplace_back("tsd", values_of(found.tsd, axis.trees, value_of));
  chart.lines.emplace_back("gsd", values_of(found.gsd, axis.graphs, value_of));
  return report::drawn(chart);
}

double speed_up(const cost::TemperatureTrials& found, int children) {
  const cost::SettingValues given = {{"children", static_cast<double>(children)}};
  return found.speed_up(*found.best(kGsdNames, given, methods::Gsd(true).preference()));
}

/// The fastest setting of each number of children.
Drawing speed_chart(const GsdAtTemperature& found, int most_children) {
  report::LineChart chart{fmt::format("temperature {:g}, fastest settings", found.tsd.temperature),
                          "children of a node",
                          "predicted speed-up",
                          {},
                          {}};
  std::vector<double> trees, graphs;
  for (int children = 1; children <= most_children; ++children) {
    chart.x.push_back(children);
    for (const bool merges : {false, true})
      (merges ? graphs : trees).push_back(speed_up(found.trials(merges), children));
  }
  chart.lines = {{"tsd", trees}, {"gsd", graphs}};
  return report::drawn(chart);
}

}  // namespace

std::string plot_of(const GsdFindings& found) {
  const RecordingLimits& limits = found.recording;
  std::vector<Drawing> rows;
  for (const GsdAtTemperature& one : found.by_temperature) {
    std::vector<Drawing> tokens, drafted, accepted;
    for (const PublishedAxis& axis : published_axes(limits)) {
      if (axis.x.empty()) continue;
      tokens.push_back(axis_chart(one, axis, "tokens per pass",
                                  [](const Trial& t) { return t.tokens_per_pass(); }));
      drafted.push_back(axis_chart(one, axis, "drafted nodes per round",
                                   [](const Trial& t) { return t.drafted_per_round(); }));
      accepted.push_back(axis_chart(one, axis, "accepted of output tokens",
                                    [](const Trial& t) { return t.acceptance(); }));
    }
    tokens.push_back(speed_chart(one, limits.children));
    rows.push_back(report::beside(tokens));
    rows.push_back(report::beside(drafted));
    rows.push_back(report::beside(accepted));
  }
  return report::svg_of(report::below(rows));
}

}  // namespace outrider::calibrate
