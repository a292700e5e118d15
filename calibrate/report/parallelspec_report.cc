#include "calibrate/report/parallelspec_report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "calibrate/report/trials_report.h"
#include "runtime/base/json_text.h"
#include "runtime/report/trials_text.h"

namespace outrider::calibrate {

std::string parallelspec_findings_text(const ParallelSpecFindings& found) {
  std::string text = drafting_text(found.draft, found.drafting, found.context, found.cost_origin);
  for (const ParallelSpecAtTemperature& one : found.by_temperature)
    text += fmt::format("\nTemperature {:g}: {} settings tried at {} positions\n{}",
                        one.temperature, one.trials.size(), one.positions,
                        report::chosen_text(one, kParallelSpecNames, one.preference));
  return text;
}

std::string parallelspec_findings_json(const ParallelSpecFindings& found) {
  auto temperatures = nlohmann::ordered_json::array();
  for (const ParallelSpecAtTemperature& one : found.by_temperature) {
    auto trials = nlohmann::ordered_json::array();
    for (const cost::Trial& trial : one.trials)
      trials.push_back(trial_json(trial, kParallelSpecNames));
    temperatures.push_back({{"temperature", one.temperature},
                            {"positions", one.positions},
                            {"plain_tokens_per_second", one.plain_tokens_per_second},
                            {"chosen", trial_json(one.chosen(), kParallelSpecNames)},
                            {"settings", std::move(trials)}});
  }
  nlohmann::ordered_json json = drafting_json(found.draft, found.drafting, found.context);
  json["method"] = found.method;
  json["temperatures"] = std::move(temperatures);
  return json_text(json) + "\n";
}

}  // namespace outrider::calibrate
