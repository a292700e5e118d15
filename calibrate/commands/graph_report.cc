#include "calibrate/commands/graph_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "calibrate/commands/passes_report.h"
#include "runtime/base/json_text.h"

namespace outrider::calibrate {
namespace {

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
          {"rounds_cut", trial.lacking},
          {"tokens_per_second", trial.tokens_per_second}};
}

}  // namespace

std::string graph_findings_text(const GraphFindings& found) {
  const cost::MachineGraphSettings& all = found.settings;
  std::string text = passes_text(found.draft, all, found.cost_origin);
  for (const GraphSettings& one : all.by_temperature) {
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
  }
  return text;
}

std::string graph_findings_json(const GraphFindings& found) {
  using Json = nlohmann::ordered_json;
  const cost::MachineGraphSettings& all = found.settings;
  Json temperatures = Json::array();
  for (const GraphSettings& one : all.by_temperature) {
    Json trials = Json::array();
    for (const GraphTrial& trial : one.trials) trials.push_back(json_of(trial));
    temperatures.push_back({{"temperature", one.temperature},
                            {"positions", one.positions},
                            {"cut", one.cut},
                            {"plain_tokens_per_second", one.plain_tokens_per_second},
                            {"chain", json_of(fastest_chain(one))},
                            {"tsd", json_of(one.best(false))},
                            {"gsd", json_of(one.best(true))},
                            {"settings", std::move(trials)}});
  }
  Json json = passes_json(found.draft, all);
  json["temperatures"] = std::move(temperatures);
  return json_text(json) + "\n";
}

}  // namespace outrider::calibrate
