#include "calibrate/report/gsd_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "calibrate/gsd/gsd_search.h"
#include "calibrate/report/trials_report.h"
#include "runtime/base/json_text.h"
#include "runtime/methods/gsd.h"
#include "runtime/report/trials_text.h"

namespace outrider::calibrate {
namespace {

using Json = nlohmann::ordered_json;

using cost::Trial;

cost::Preference preference() { return methods::Gsd(true).preference(); }

double merged_per_round(const Trial& trial) {
  return static_cast<double>(trial.other.at("merged")) / static_cast<double>(trial.rounds);
}

Json graph_json(const Trial& trial) {
  Json json = trial_json(trial, kGsdNames);
  json["merged_per_round"] = merged_per_round(trial);
  json["graph_success"] = graph_success(trial);
  json["share_of_later_children"] = share_of_later_children(trial);
  return json;
}

std::string sweep_row(const std::string& method, double value, const Trial& trial) {
  return fmt::format("{:<8} {:>9g} {:>9.3f} {:>9.2f} {:>9.3f} {:>9.2f} {:>9.3f} {:>9.3f}{}\n",
                     method, value, trial.acceptance(), trial.drafted_per_round(),
                     merged_per_round(trial), trial.verified_per_round(), graph_success(trial),
                     share_of_later_children(trial),
                     trial.lacking > 0 ? fmt::format("  {} rounds cut", trial.lacking) : "");
}

/// The paper's figure 5: its settings, with one of them changed.
std::string sweeps_text(const GsdAtTemperature& found, const RecordingLimits& limits) {
  std::string text =
      "as published, with one setting changed: accepted of all output tokens, nodes of a round, "
      "the share of rounds\n"
      "that accept a token through a merged node (graph success), and of accepted tokens that of "
      "children 2 and later\n";
  for (const PublishedAxis& axis : published_axes(limits)) {
    if (axis.x.empty()) continue;
    text += fmt::format("{}\n{:<8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", axis.name, "",
                        "value", "accepted", "drafted", "merged", "verified", "success", "later");
    for (const bool merges : {false, true}) {
      const std::vector<GsdSetting>& settings = merges ? axis.graphs : axis.trees;
      for (std::size_t i = 0; i < settings.size(); ++i)
        if (const Trial* trial = found.trials(merges).find(settings[i].values()))
          text += sweep_row(merges ? "gsd" : "tsd", axis.x[i], *trial);
    }
  }
  return text;
}

/// @param vocabulary  as GsdFindings has it: the unit of the paper's table 5 is not named there, and by its size can only
///                    be a mean over the vocabulary
std::string redundancy_text(const std::vector<Redundancy>& by_children, int vocabulary) {
  std::string text = fmt::format(
      "tokens of published trees, not merged, in runs that other branches have too; nodes like an "
      "earlier one by\n"
      "their last tau tokens, and the divergence of what may follow them: in nats, and in the row "
      "below as the mean\n"
      "over the {} tokens that can be drafted\n{:<9}{:>9}",
      vocabulary, "children", "nodes");
  for (std::size_t n = 1; n <= Redundancy{}.repeated_nodes.size(); ++n)
    text += fmt::format("{:>9}", fmt::format("runs of {}", n));
  for (std::size_t tau = 0; tau < Redundancy{}.merging.size(); ++tau)
    text += fmt::format("{:>16}", fmt::format("tau {}", tau));
  text += '\n';
  for (const Redundancy& one : by_children) {
    const auto nodes = static_cast<double>(one.nodes);
    text += fmt::format("{:<9}{:>9}", one.children, one.nodes);
    for (const std::int64_t repeated : one.repeated_nodes)
      text += fmt::format("{:>9.3f}", static_cast<double>(repeated) / nodes);
    for (const Redundancy::Merging& merging : one.merging)
      text += fmt::format("{:>16}", merging.nodes == 0 ? "0"
                                                       : fmt::format("{}: {:.4f}", merging.nodes,
                                                                     merging.mean_divergence()));
    text += fmt::format("\n{:<{}}", "", 18 + 9 * one.repeated_nodes.size());
    for (const Redundancy::Merging& merging : one.merging)
      text += fmt::format("{:>16.2e}", merging.mean_divergence() / vocabulary);
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json json_of(const Redundancy& one, int vocabulary) {
  nlohmann::ordered_json merging = nlohmann::ordered_json::array();
  for (std::size_t tau = 0; tau < one.merging.size(); ++tau)
    merging.push_back({{"tau", tau},
                       {"nodes", one.merging[tau].nodes},
                       {"divergence", one.merging[tau].mean_divergence()},
                       {"divergence_per_token", one.merging[tau].mean_divergence() / vocabulary}});
  return {{"children", one.children},
          {"trees", one.trees},
          {"nodes", one.nodes},
          {"repeated_nodes", one.repeated_nodes},
          {"merging", std::move(merging)}};
}

}  // namespace

std::string gsd_findings_text(const GsdFindings& found) {
  std::string text = drafting_text(found.draft, found.drafting, found.context, found.cost_origin);
  for (const GsdAtTemperature& one : found.by_temperature) {
    text += fmt::format(
        "\nTemperature {:g}: trees at {} positions, {} of them cut; {} settings of tsd kept, {} of "
        "gsd\n",
        one.tsd.temperature, one.tsd.positions, one.cut, one.tsd.trials.size(),
        one.gsd.trials.size());
    for (const bool merges : {false, true})
      text +=
          report::chosen_text(one.trials(merges), kGsdNames, preference(), merges ? "gsd" : "tsd");
    text += sweeps_text(one, found.recording) + redundancy_text(one.redundancy, found.vocabulary);
  }
  return text;
}

std::string gsd_findings_json(const GsdFindings& found) {
  Json temperatures = Json::array();
  for (const GsdAtTemperature& one : found.by_temperature) {
    Json redundancy = Json::array();
    for (const Redundancy& some : one.redundancy)
      redundancy.push_back(json_of(some, found.vocabulary));
    Json trials = Json::array();
    for (const Trial& trial : one.tsd.trials) trials.push_back(graph_json(trial));
    for (const Trial& trial : one.gsd.trials)
      if (trial.shape != cost::Shape::kChain) trials.push_back(graph_json(trial));
    temperatures.push_back(
        {{"temperature", one.tsd.temperature},
         {"positions", one.tsd.positions},
         {"cut", one.cut},
         {"plain_tokens_per_second", one.tsd.plain_tokens_per_second},
         {"chain", graph_json(*one.gsd.best(kGsdNames, {{"children", 1.0}}, preference()))},
         {"tsd", graph_json(best_graph(one.tsd))},
         {"gsd", graph_json(best_graph(one.gsd))},
         {"redundancy", std::move(redundancy)},
         {"settings", std::move(trials)}});
  }
  Json json = drafting_json(found.draft, found.drafting, found.context);
  json["temperatures"] = std::move(temperatures);
  return json_text(json) + "\n";
}

}  // namespace outrider::calibrate
