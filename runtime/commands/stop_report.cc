#include "runtime/commands/stop_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"
#include "runtime/report/line_chart.h"

namespace outrider {
namespace {

using evaluate::OracleLengths;
using evaluate::PairedMean;
using evaluate::StopCell;
using evaluate::StopStudy;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPlottedLength = 24;

Json confusion_json(const evaluate::Confusion& found) {
  return {{"f1", found.f1()}, {"f1_of_rejected", found.f1_of_no()}, {"tokens", found.total()}};
}

Json stop_json(const StopCell& cell, const StopStudy& study) {
  const StopCell& plain = study.cells.front();
  const PairedMean ratio = paired_ratio(cell, plain);
  Json json = {{"policy", cell.name},
               {"settings", cell.settings},
               {"tokens", cell.sums.tokens},
               {"passes", cell.sums.passes},
               {"draft_passes", cell.draft_passes},
               {"drafted", cell.sums.drafted},
               {"accepted", cell.sums.accepted},
               {"acceptance", cell.acceptance()},
               {"tokens_per_pass", cell.sums.tokens_per_call()},
               {"ms_per_token", cell.milliseconds_per_token()},
               {"speed_up", plain.milliseconds_per_token() / cell.milliseconds_per_token()},
               {"time_of_target", ratio.mean},
               {"time_of_target_95", ratio.half}};
  if (cell.confusion) json["classification"] = confusion_json(*cell.confusion);
  if (cell.auc) json["auc"] = *cell.auc;
  if (const auto saved = saved_time(cell, study))
    json["saved"] = {{"over", saved->fixed},
                     {"time_of_it", saved->of_fixed.mean},
                     {"time_of_it_95", saved->of_fixed.half},
                     {"share_of_gap_to_oracle", saved->share}};
  json["seconds_per_token_of_texts"] = cell.seconds_per_token;
  return json;
}

std::vector<double> means_by_part(const OracleLengths& oracle) {
  std::vector<double> means;
  for (std::size_t part = 0; part < oracle.sums.size(); ++part)
    means.push_back(oracle.rounds[part] == 0
                        ? 0
                        : oracle.sums[part] / static_cast<double>(oracle.rounds[part]));
  return means;
}

double middle_of(std::size_t part) {
  return (static_cast<double>(part) + 0.5) / OracleLengths::kParts;
}

}  // namespace

std::string study_text(const evaluate::StopStudy& study) {
  std::string text = fmt::format(
      "{} prompts, temperature {}, verification {}, {} threads, {}\n"
      "{:<12} {:>8} {:>8} {:>7} {:>8} {:>7} {:>15} {:>6} {:>6}  settings\n",
      study.prompts, study.temperature, study.verify, study.threads, study.machine, "policy",
      "ms/token", "speed-up", "passes", "drafted", "accept.", "time of target", "F1", "AUC");
  const StopCell& plain = study.cells.front();
  for (const StopCell& cell : study.cells) {
    const PairedMean ratio = paired_ratio(cell, plain);
    text += fmt::format(
        "{:<12} {:>8.3f} {:>8.3f} {:>7} {:>8} {:>7.3f} {:>7.3f} ± {:<5.3f} {:>6} {:>6}  {}\n",
        cell.name, cell.milliseconds_per_token(),
        plain.milliseconds_per_token() / cell.milliseconds_per_token(), cell.sums.passes,
        cell.sums.drafted, cell.acceptance(), ratio.mean, ratio.half,
        cell.confusion ? fmt::format("{:.3f}", cell.confusion->f1()) : "-",
        cell.auc ? fmt::format("{:.3f}", *cell.auc) : "-", cell.settings);
  }
  for (const StopCell& cell : study.cells)
    if (const auto saved = saved_time(cell, study))
      text += fmt::format(
          "{} takes {:.3f} ± {:.3f} of the time of {}, and saves {:.0f} % of the time between it "
          "and the "
          "oracle\n",
          cell.name, saved->of_fixed.mean, saved->of_fixed.half, saved->fixed, 100 * saved->share);
  return text + fmt::format(
                    "F1 of always going on {:.3f}; the oracle's rounds have {:.2f} ± {:.2f} "
                    "tokens\n",
                    study.always.f1(), study.oracle.mean(), study.oracle.deviation());
}

std::string study_json(const evaluate::StopStudy& study) {
  Json cells = Json::array();
  for (const StopCell& cell : study.cells) cells.push_back(stop_json(cell, study));
  const Json all = {{"model", study.model},
                    {"draft", study.draft},
                    {"machine", study.machine},
                    {"threads", study.threads},
                    {"numerics", study.numerics},
                    {"isa", study.isa},
                    {"verify", study.verify},
                    {"temperature", study.temperature},
                    {"prompts", study.prompts},
                    {"max_new", study.max_new},
                    {"policies", std::move(cells)},
                    {"always", confusion_json(study.always)},
                    {"oracle_lengths",
                     {{"mean", study.oracle.mean()},
                      {"deviation", study.oracle.deviation()},
                      {"rounds_by_length", study.oracle.counts},
                      {"mean_by_place", means_by_part(study.oracle)}}}};
  return json_text(all, 1) + "\n";
}

std::string study_plot(const evaluate::StopStudy& study) {
  report::LineChart frequent{
      "Lengths of the oracle's rounds", "tokens", "share of rounds", {}, {{"rounds", {}}}};
  double rounds = 0;
  for (const std::int64_t count : study.oracle.counts) rounds += static_cast<double>(count);
  for (std::size_t length = 0; length < std::min(study.oracle.counts.size(), kMostPlottedLength);
       ++length) {
    frequent.x.push_back(static_cast<double>(length));
    frequent.lines[0].second.push_back(static_cast<double>(study.oracle.counts[length]) / rounds);
  }
  report::LineChart where{"Mean length by position in the text",
                          "position of the round, from first to last",
                          "tokens",
                          {},
                          {{"mean", means_by_part(study.oracle)}}};
  for (std::size_t part = 0; part < study.oracle.sums.size(); ++part)
    where.x.push_back(middle_of(part));
  report::LineChart latency{"Time per token", "policy, as listed", "milliseconds", {}, {{"", {}}}};
  std::string names;
  for (std::size_t i = 0; i < study.cells.size(); ++i) {
    latency.x.push_back(static_cast<double>(i + 1));
    latency.lines[0].second.push_back(study.cells[i].milliseconds_per_token());
    names += fmt::format("{}{} {}", i == 0 ? "" : ", ", i + 1, study.cells[i].name);
  }
  latency.x_name = names;
  std::vector<report::Drawing> charts = {report::drawn(latency)};
  if (!frequent.x.empty()) charts.push_back(report::drawn(frequent));
  charts.push_back(report::drawn(where));
  return report::svg_of(report::below(charts));
}

}  // namespace outrider
