#include "calibrate/report/stop_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "data/study/stop_gains.h"
#include "data/study/timed_round.h"
#include "runtime/base/json_text.h"
#include "runtime/report/line_chart.h"

namespace outrider::calibrate {
namespace {

using study::Interval;
using study::OracleLengths;
using study::stop_gain;
using study::StopCell;
using study::StopGain;
using study::StopStudy;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPlottedLength = 24;

/// Gains as the JSON names them.
constexpr std::pair<StopGain, const char*> kGains[] = {
    {StopGain::kTimeOfTarget, "time_of_target"},
    {StopGain::kTimeOfStatic, "time_of_static"},
    {StopGain::kTimeOfHeuristic, "time_of_heuristic"},
    {StopGain::kShareOfGap, "share_of_gap_to_oracle"}};

Json confusion_json(const study::Confusion& found) {
  return {{"f1", found.f1()}, {"f1_of_rejected", found.f1_of_no()}, {"tokens", found.total()}};
}

Json stop_json(const StopCell& cell, const StopStudy& study) {
  const StopCell& plain = study.cells.front();
  Json json = {{"policy", cell.name},
               {"settings", cell.settings},
               {"tokens", cell.sums.tokens},
               {"passes", cell.sums.passes},
               {"draft_passes", cell.sums.draft_passes},
               {"drafted", cell.sums.drafted},
               {"accepted", cell.sums.accepted},
               {"acceptance", cell.acceptance()},
               {"tokens_per_pass", cell.sums.tokens_per_call()},
               {"ms_per_token", cell.milliseconds_per_token()},
               {"speed_up", plain.milliseconds_per_token() / cell.milliseconds_per_token()}};
  if (cell.confusion) json["classification"] = confusion_json(*cell.confusion);
  if (cell.auc) json["auc"] = *cell.auc;
  for (const auto& [gain, name] : kGains)
    if (const auto found = stop_gain(study, cell.name, gain))
      json[name] = {{"value", found->value}, {"low", found->low}, {"high", found->high}};
  json["tokens_of_texts"] = cell.tokens_of_texts;
  json["seconds_of_texts"] = cell.seconds_of_texts;
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

std::string interval_text(const std::optional<Interval>& found) {
  if (!found) return "-";
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", found->value, found->low, found->high);
}

std::string share_text(const std::optional<Interval>& found) {
  if (!found) return "-";
  return fmt::format("{:.0f} % ({:.0f} to {:.0f})", 100 * found->value, 100 * found->low,
                     100 * found->high);
}

/// What each policy but the target alone gains in the mean of studies.
std::string gains_text(std::span<const StopStudy> studies) {
  std::string text = fmt::format("{:<12} {:<24} {:<24} {:<24} gap to the oracle saved\n", "policy",
                                 "time of target", "of the faster static", "of the heuristic");
  const std::vector<StopCell>& cells = studies.front().cells;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const auto found = [&](StopGain gain) { return stop_gain(studies, cells[i].name, gain); };
    text += fmt::format("{:<12} {:<24} {:<24} {:<24} {}\n", cells[i].name,
                        interval_text(found(StopGain::kTimeOfTarget)),
                        interval_text(found(StopGain::kTimeOfStatic)),
                        interval_text(found(StopGain::kTimeOfHeuristic)),
                        share_text(found(StopGain::kShareOfGap)));
  }
  return text;
}

double middle_of(std::size_t part) {
  return (static_cast<double>(part) + 0.5) / OracleLengths::kParts;
}

}  // namespace

std::string study_text(const study::StopStudy& study) {
  std::string text = fmt::format(
      "{} prompts, {} rounds, temperature {}, verification {}, {} threads, {}\n"
      "{:<12} {:>8} {:>8} {:>7} {:>8} {:>7} {:>6} {:>6}  settings\n",
      study.prompts, study.rounds, study.temperature, study.verify, study.threads, study.machine,
      "policy", "ms/token", "speed-up", "passes", "drafted", "accept.", "F1", "AUC");
  const StopCell& plain = study.cells.front();
  for (const StopCell& cell : study.cells) {
    text += fmt::format("{:<12} {:>8.3f} {:>8.3f} {:>7} {:>8} {:>7.3f} {:>6} {:>6}  {}\n",
                        cell.name, cell.milliseconds_per_token(),
                        plain.milliseconds_per_token() / cell.milliseconds_per_token(),
                        cell.sums.passes, cell.sums.drafted, cell.acceptance(),
                        cell.confusion ? fmt::format("{:.3f}", cell.confusion->f1()) : "-",
                        cell.auc ? fmt::format("{:.3f}", *cell.auc) : "-", cell.settings);
  }
  text += study::starts_text(study.starts);
  text += "Times per token, pooled over the texts, with 95 % intervals (paired bootstrap):\n" +
          gains_text(std::span(&study, 1));
  return text + fmt::format(
                    "F1: of predicting in the oracle's rounds which tokens are accepted; of always "
                    "going on {:.3f}; the oracle's rounds have {:.2f} ± {:.2f} tokens\n",
                    study.always.f1(), study.oracle.mean(), study.oracle.deviation());
}

std::string study_json(const study::StopStudy& study) {
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
                    {"rounds", study.rounds},
                    {"starts", study.starts},
                    {"max_new", study.max_new},
                    {"policies", std::move(cells)},
                    {"always", confusion_json(study.always)},
                    {"oracle_lengths",
                     {{"mean", study.oracle.mean()},
                      {"deviation", study.oracle.deviation()},
                      {"rounds_by_length", study.oracle.counts},
                      {"lengths_in_first_text", study.oracle.of_first_text},
                      {"mean_by_place", means_by_part(study.oracle)}}}};
  return json_text(all, 1) + "\n";
}

std::string summary_text(std::span<const StopStudy> studies) {
  return fmt::format(
             "mean of {} studies, temperature {}, verification {}; in brackets 95 % intervals\n"
             "by a paired bootstrap over the texts of each study\n",
             studies.size(), studies.front().temperature, studies.front().verify) +
         gains_text(studies);
}

std::string study_plot(const study::StopStudy& study) {
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
  const std::vector<int>& rounds_of_first = study.oracle.of_first_text;
  report::LineChart first{
      fmt::format("The oracle's {} rounds of the first text", rounds_of_first.size()),
      "round",
      "tokens",
      {},
      {{"accepted", {rounds_of_first.begin(), rounds_of_first.end()}}}};
  for (std::size_t round = 1; round <= rounds_of_first.size(); ++round)
    first.x.push_back(static_cast<double>(round));
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
  if (!first.x.empty()) charts.push_back(report::drawn(first));
  return report::svg_of(report::below(charts));
}

}  // namespace outrider::calibrate
