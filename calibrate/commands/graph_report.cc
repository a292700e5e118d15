#include "calibrate/commands/graph_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "calibrate/commands/passes_report.h"
#include "calibrate/graph/graph_search.h"
#include "runtime/base/json_text.h"

namespace outrider::calibrate {
namespace {

using Json = nlohmann::ordered_json;

using cost::GraphSettings;
using cost::GraphTrial;

/// The flags that set it.
std::string flags_of(const cost::GraphSetting& setting, bool merges) {
  std::string flags = fmt::format("--children {} --draft-length {} --prune-probability {:g}",
                                  setting.children, setting.steps, setting.pruning.probability);
  if (setting.pruning.path > 0) flags += fmt::format(" --min-path {:g}", setting.pruning.path);
  if (setting.children == 1) return flags;
  flags +=
      fmt::format(" --prune-siblings {:g} --tree-nodes {}", setting.pruning.sibling, setting.nodes);
  if (merges) flags += fmt::format(" --merge-run {}", setting.tau);
  return flags;
}

std::string row_of(const std::string& name, const GraphTrial& trial, double plain) {
  return fmt::format("{:<8} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.0f} {:>9.2f}\n", name,
                     trial.tokens_per_pass(), trial.drafted_per_round(),
                     trial.draft_passes_per_round(), trial.verified_per_round(),
                     trial.tokens_per_second, trial.tokens_per_second / plain);
}

const GraphTrial& fastest_chain(const GraphSettings& settings) {
  return settings.best(true, {.children = 1});
}

nlohmann::ordered_json json_of(const GraphTrial& trial) {
  const cost::GraphSetting& setting = trial.setting;
  const auto rounds = static_cast<double>(trial.rounds);
  return {{"children", setting.children},
          {"prune_probability", setting.pruning.probability},
          {"prune_siblings", setting.pruning.sibling},
          {"min_path", setting.pruning.path},
          {"merge_run", setting.tau},
          {"draft_length", setting.steps},
          {"tree_nodes", setting.nodes},
          {"rounds", trial.rounds},
          {"tokens_per_pass", trial.tokens_per_pass()},
          {"drafted_per_round", trial.drafted_per_round()},
          {"merged_per_round", static_cast<double>(trial.merged) / rounds},
          {"draft_passes_per_round", trial.draft_passes_per_round()},
          {"verified_rows_per_round", trial.verified_per_round()},
          {"accepted_copies", trial.copies},
          {"acceptance", trial.acceptance()},
          {"graph_success", trial.graph_success()},
          {"share_of_later_children", trial.share_of_later_children()},
          {"rounds_cut", trial.lacking},
          {"tokens_per_second", trial.tokens_per_second}};
}

std::string sweep_row(const std::string& method, double value, const GraphTrial& trial) {
  return fmt::format("{:<8} {:>9g} {:>9.3f} {:>9.2f} {:>9.3f} {:>9.2f} {:>9.3f} {:>9.3f}{}\n",
                     method, value, trial.acceptance(), trial.drafted_per_round(),
                     static_cast<double>(trial.merged) / static_cast<double>(trial.rounds),
                     trial.verified_per_round(), trial.graph_success(),
                     trial.share_of_later_children(),
                     trial.lacking > 0 ? fmt::format("  {} rounds cut", trial.lacking) : "");
}

/// The paper's figure 5: its settings, with one of them changed.
std::string sweeps_text(const GraphSettings& found, const RecordingLimits& limits) {
  std::string text =
      "as published, with one setting changed: accepted of all output tokens, nodes of a round, "
      "the share of rounds\n"
      "that accept a token through a merged node (graph success), and of accepted tokens that of "
      "children 2 and later\n";
  for (const PublishedAxis& axis : published_axes(limits)) {
    if (axis.x.empty()) continue;
    text += fmt::format("{}\n{:<8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", axis.name, "",
                        "value", "accepted", "drafted", "merged", "verified", "success", "later");
    for (const auto& [method, settings] :
         {std::pair("tsd", &axis.trees), std::pair("gsd", &axis.graphs)})
      for (std::size_t i = 0; i < settings->size(); ++i)
        if (const GraphTrial* trial = found.trial_of((*settings)[i]))
          text += sweep_row(method, axis.x[i], *trial);
  }
  return text;
}

/// @param vocabulary  as GraphFindings has it: the unit of the paper's table 5 is not named there, and by its size can only
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

std::string graph_findings_text(const GraphFindings& found) {
  const cost::MachineGraphSettings& all = found.settings;
  std::string text = passes_text(found.draft, all, found.cost_origin);
  for (std::size_t i = 0; i < all.by_temperature.size(); ++i) {
    const GraphSettings& one = all.by_temperature[i];
    const GraphTrial &tree = one.best(false), &graph = one.best(true);
    const double plain = one.plain_tokens_per_second;
    text += fmt::format(
        "\nTemperature {:g}: trees at {} positions, {} of them cut; {} settings kept\n"
        "{:<8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        one.temperature, one.positions, one.cut, one.trials.size(), "", "tokens", "drafted",
        "passes", "verified", "tokens/s", "speed-up");
    text += row_of("chain", fastest_chain(one), plain) + row_of("tsd", tree, plain) +
            row_of("gsd", graph, plain);
    text += fmt::format("tsd: {}\ngsd: {}\n", flags_of(tree.setting, false),
                        flags_of(graph.setting, true));
    if (graph.tokens_per_second < plain)
      text += fmt::format("plain decoding is faster: {:.0f} tokens/s\n", plain);
    text +=
        sweeps_text(one, found.recording) + redundancy_text(found.redundancy[i], found.vocabulary);
  }
  return text;
}

std::string graph_findings_json(const GraphFindings& found) {
  const cost::MachineGraphSettings& all = found.settings;
  Json temperatures = Json::array();
  for (std::size_t i = 0; i < all.by_temperature.size(); ++i) {
    const GraphSettings& one = all.by_temperature[i];
    Json redundancy = Json::array();
    for (const Redundancy& some : found.redundancy[i])
      redundancy.push_back(json_of(some, found.vocabulary));
    Json trials = Json::array();
    for (const GraphTrial& trial : one.trials) trials.push_back(json_of(trial));
    temperatures.push_back({{"temperature", one.temperature},
                            {"positions", one.positions},
                            {"cut", one.cut},
                            {"plain_tokens_per_second", one.plain_tokens_per_second},
                            {"chain", json_of(fastest_chain(one))},
                            {"tsd", json_of(one.best(false))},
                            {"gsd", json_of(one.best(true))},
                            {"redundancy", std::move(redundancy)},
                            {"settings", std::move(trials)}});
  }
  Json json = passes_json(found.draft, all);
  json["temperatures"] = std::move(temperatures);
  return json_text(json) + "\n";
}

}  // namespace outrider::calibrate
