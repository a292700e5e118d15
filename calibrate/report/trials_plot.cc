#include "calibrate/report/trials_plot.h"

#include <fmt/core.h>

#include <map>
#include <vector>

#include "runtime/report/line_chart.h"

namespace outrider::calibrate {
namespace {

/// Of the trials with each value of a number the one with the most tokens per pass.
std::map<double, const cost::Trial*> most_by_value(const cost::TemperatureTrials& tried,
                                                   const std::string& name) {
  std::map<double, const cost::Trial*> most;
  for (const cost::Trial& trial : tried.trials) {
    const auto found = trial.settings.find(name);
    const double* const value =
        found == trial.settings.end() ? nullptr : std::get_if<double>(&found->second);
    if (value == nullptr) continue;
    const cost::Trial*& best = most[*value];
    if (best == nullptr || trial.tokens_per_pass() > best->tokens_per_pass()) best = &trial;
  }
  return most;
}

}  // namespace

std::string plot_of(const cost::Trials& trials) {
  std::vector<report::Drawing> rows;
  for (const cost::TemperatureTrials& one : trials.by_temperature) {
    const std::string title = fmt::format("temperature {:g}", one.temperature);
    std::vector<report::Drawing> tokens, drafted;
    for (const std::string& name : trials.names) {
      report::LineChart most = {title, name, "most tokens per pass", {}, {}};
      report::LineChart nodes = {title, name, "drafted per round", {}, {}};
      std::vector<double> of_tokens, of_drafted;
      for (const auto& [value, trial] : most_by_value(one, name)) {
        most.x.push_back(value);
        of_tokens.push_back(trial->tokens_per_pass());
        of_drafted.push_back(trial->drafted_per_round());
      }
      if (most.x.size() < 2) continue;
      nodes.x = most.x;
      most.lines.emplace_back("tokens", of_tokens);
      nodes.lines.emplace_back("drafted", of_drafted);
      tokens.push_back(report::drawn(most));
      drafted.push_back(report::drawn(nodes));
    }
    if (tokens.empty()) continue;
    rows.push_back(report::beside(tokens));
    rows.push_back(report::beside(drafted));
  }
  return report::svg_of(report::below(rows));
}

}  // namespace outrider::calibrate
