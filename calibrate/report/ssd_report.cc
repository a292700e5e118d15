#include "calibrate/report/ssd_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "calibrate/report/trials_report.h"
#include "runtime/base/json_text.h"
#include "runtime/cost/stop_trials.h"
#include "runtime/report/line_chart.h"
#include "runtime/report/trials_text.h"

namespace outrider::calibrate {
namespace {

using Json = nlohmann::ordered_json;
using cost::TemperatureTrials;

const char* shown_task(const std::string& task) { return task.empty() ? "(none)" : task.c_str(); }

std::string tasks_text(const SsdAtTemperature& drafts) {
  std::string text =
      fmt::format("{:<24} {:>9} {:>9} {:>10}\n", "task", "tokens", "coverage", "agreement");
  for (const auto& [task, one] : drafts.by_task)
    text += fmt::format("{:<24} {:>9} {:>9.3f} {:>10.3f}\n", shown_task(task), one.tokens,
                        one.coverage(), one.agreement());
  return text + fmt::format("{:<24} {:>9} {:>9.3f} {:>10.3f}\n", "mean of the tasks", "",
                            drafts.mean_coverage(), drafts.mean_agreement());
}

int length_of(const cost::Trial& trial) {
  return static_cast<int>(cost::number_of(trial.settings, "draft-length"));
}

/// The trials of rounds of one length.
std::vector<const cost::Trial*> static_rounds(const TemperatureTrials& tried) {
  std::vector<const cost::Trial*> found;
  for (const cost::Trial& trial : tried.trials)
    if (trial.settings.at("draft-stop") == cost::SettingValue("static")) found.push_back(&trial);
  return found;
}

std::string lengths_text(const TemperatureTrials& tried, double agreement, double c) {
  std::string text = fmt::format("{:>6} {:>9} {:>9} {:>9} {:>12}\n", "length", "accepted",
                                 "tokens/s", "speed-up", "of formula");
  for (const cost::Trial* const trial : static_rounds(tried))
    text +=
        fmt::format("{:>6} {:>9.2f} {:>9.0f} {:>9.2f} {:>12.2f}\n", length_of(*trial),
                    trial->tokens_per_pass() - 1, trial->tokens_per_second, tried.speed_up(*trial),
                    improvement_factor(agreement, length_of(*trial), c));
  return text;
}

}  // namespace

std::string ssd_findings_text(const SsdFindings& found) {
  const StudyTrials& all = found.tried;
  std::string text = drafting_text(found.draft, all.drafting, all.trials.context, all.costs.origin);
  for (const TemperatureTrials& tried : all.trials.by_temperature) {
    const SsdAtTemperature& drafts = found.drafts.at(tried.temperature);
    text += fmt::format(
        "\nTemperature {:g}. Agreement: the share of the target's own tokens that the draft model "
        "draws there\n{}\nRounds of one length; formula: improvement factor of Leviathan et "
        "al.\n{}\n{}",
        tried.temperature, tasks_text(drafts),
        lengths_text(tried, drafts.mean_agreement(), found.c()),
        report::chosen_text(tried, cost::kStopNames, {}));
  }
  return text;
}

std::string ssd_findings_json(const SsdFindings& found) {
  const StudyTrials& all = found.tried;
  Json temperatures = Json::array();
  for (const TemperatureTrials& tried : all.trials.by_temperature) {
    const SsdAtTemperature& drafts = found.drafts.at(tried.temperature);
    Json tasks = Json::object();
    for (const auto& [task, one] : drafts.by_task)
      tasks[task] = {
          {"tokens", one.tokens}, {"coverage", one.coverage()}, {"agreement", one.agreement()}};
    Json settings = Json::array();
    for (const cost::Trial& trial : tried.trials) {
      Json one = trial_json(trial, cost::kStopNames);
      one["improvement_factor"] =
          improvement_factor(drafts.mean_agreement(), length_of(trial), found.c());
      settings.push_back(std::move(one));
    }
    const cost::Trial& best = *tried.best(cost::kStopNames, {}, {});
    temperatures.push_back({{"temperature", tried.temperature},
                            {"agreement", drafts.mean_agreement()},
                            {"coverage", drafts.mean_coverage()},
                            {"tasks", std::move(tasks)},
                            {"plain_tokens_per_second", tried.plain_tokens_per_second},
                            {"chosen", trial_json(best, cost::kStopNames)},
                            {"settings", std::move(settings)}});
  }
  Json json = drafting_json(found.draft, all.drafting, all.trials.context);
  json["c"] = found.c();
  json["temperatures"] = std::move(temperatures);
  return json_text(json) + "\n";
}

std::string plot_of(const SsdFindings& found) {
  std::vector<report::Drawing> charts;
  for (const TemperatureTrials& tried : found.tried.trials.by_temperature) {
    report::LineChart chart{fmt::format("temperature {:g}", tried.temperature),
                            "draft length",
                            "times plain decoding",
                            {},
                            {{"replayed", {}}}};
    for (const cost::Trial* const trial : static_rounds(tried)) {
      chart.x.push_back(length_of(*trial));
      chart.lines[0].second.push_back(tried.speed_up(*trial));
    }
    for (const auto& [task, drafts] : found.drafts.at(tried.temperature).by_task) {
      std::vector<double> factors;
      for (const double length : chart.x)
        factors.push_back(
            improvement_factor(drafts.agreement(), static_cast<int>(length), found.c()));
      chart.lines.emplace_back(fmt::format("{} ({:.2f})", shown_task(task), drafts.agreement()),
                               std::move(factors));
    }
    charts.push_back(report::drawn(chart));
  }
  return report::svg_of(report::beside(charts));
}

}  // namespace outrider::calibrate
