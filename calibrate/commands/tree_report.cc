#include "calibrate/commands/tree_report.h"

#include <nlohmann/json.hpp>

#include "calibrate/commands/passes_report.h"
#include "runtime/base/json_text.h"
#include "runtime/report/tree_settings_text.h"

namespace outrider::calibrate {
namespace {

using Json = nlohmann::ordered_json;

nlohmann::ordered_json json_of(const cost::TreeTrial& trial) {
  return {{"tree", trial.setting.tree()},
          {"draft_length", trial.setting.length},
          {"draft_threshold", trial.setting.threshold},
          {"rounds", trial.rounds},
          {"tokens_per_pass", trial.tokens_per_pass()},
          {"drafted_per_round", trial.drafted_per_round()},
          {"draft_passes_per_round", trial.draft_passes_per_round()},
          {"verified_rows_per_round", trial.verified_per_round()},
          {"tokens_per_second", trial.tokens_per_second}};
}

}  // namespace

std::string tree_findings_text(const TreeFindings& found) {
  return passes_text(found.draft, found.settings, found.cost_origin) + "\n" +
         report::tree_settings_text(found.settings);
}

std::string tree_findings_json(const TreeFindings& found) {
  Json temperatures = Json::array();
  for (const cost::TreeSettings& one : found.settings.by_temperature) {
    Json trials = Json::array();
    for (const cost::TreeTrial& trial : one.trials) trials.push_back(json_of(trial));
    temperatures.push_back({{"temperature", one.temperature},
                            {"positions", one.positions},
                            {"plain_tokens_per_second", one.plain_tokens_per_second},
                            {"chosen", json_of(*one.best())},
                            {"settings", std::move(trials)}});
  }
  Json json = passes_json(found.draft, found.settings);
  json["method"] = found.method;
  json["temperatures"] = std::move(temperatures);
  return json_text(json) + "\n";
}

}  // namespace outrider::calibrate
