#include "calibrate/commands/draft_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"

namespace outrider::calibrate {
namespace {

using Json = nlohmann::ordered_json;

std::string tasks_text(const DraftsAtTemperature& trials) {
  std::string text =
      fmt::format("{:<24} {:>9} {:>9} {:>10}\n", "task", "tokens", "coverage", "agreement");
  for (const auto& [task, one] : trials.by_task)
    text += fmt::format("{:<24} {:>9} {:>9.3f} {:>10.3f}\n", task.empty() ? "(none)" : task,
                        one.tokens, one.coverage(), one.agreement());
  return text + fmt::format("{:<24} {:>9} {:>9.3f} {:>10.3f}\n", "mean of the tasks", "",
                            trials.mean_coverage(), trials.mean_agreement());
}

/// Rounds of one length: the first rows of the table, at threshold 0.
std::string lengths_text(const cost::DraftSettings& settings, double c) {
  std::string text = fmt::format("{:>6} {:>9} {:>9} {:>9} {:>12}\n", "length", "accepted",
                                 "tokens/s", "speed-up", "of formula");
  for (std::size_t i = 0; i < settings.draft_lengths.size(); ++i) {
    const auto cell = settings.cell(i);
    text += fmt::format("{:>6} {:>9.2f} {:>9.0f} {:>9.2f} {:>12.2f}\n", cell.draft_length,
                        cell.tokens_per_round - 1, cell.tokens_per_second,
                        cell.tokens_per_second / settings.plain_tokens_per_second,
                        cost::improvement_factor(settings.agreement, cell.draft_length, c));
  }
  return text;
}

/// What a threshold is of, as --draft-stop names it.
const char* rule_of(const cost::DraftSettings::Cell& cell) {
  return cell.along_path ? "path" : "confidence";
}

std::string best_text(const cost::DraftSettings& settings) {
  const auto best = settings.best();
  if (best.tokens_per_second < settings.plain_tokens_per_second)
    return fmt::format("plain decoding is faster: {:.0f} tokens/s\n",
                       settings.plain_tokens_per_second);
  const std::string stop =
      best.threshold > 0
          ? fmt::format("--draft-stop {} --draft-threshold {:g} ", rule_of(best), best.threshold)
          : "--draft-stop static ";
  return fmt::format(
      "the fastest: {}--draft-length {}: {:.0f} tokens/s, {:.2f} of plain decoding; {:.2f} tokens "
      "per round, {:.2f} drafted\n",
      stop, best.draft_length, best.tokens_per_second,
      best.tokens_per_second / settings.plain_tokens_per_second, best.tokens_per_round,
      best.drafted_per_round);
}

}  // namespace

std::string draft_findings_text(const DraftFindings& found) {
  const cost::MachineDraftSettings& all = found.settings;
  std::string text = fmt::format(
      "{}\na step of it {:.3f} ms, a pass of the target over one row {:.3f} ms after {} tokens; "
      "threads {} and {}: c = {:.3f}\n",
      found.draft, 1e3 * all.draft_seconds, 1e3 * all.pass_seconds, all.context, all.draft_threads,
      all.threads, all.c());
  std::size_t i = 0;
  for (const auto& [temperature, trials] : found.trials) {
    const cost::DraftSettings& settings = all.by_temperature[i++];
    text += fmt::format(
        "\nTemperature {:g}. Agreement: the share of the target's own tokens that the draft model "
        "draws there\n{}\nRounds of one length, predicted from {}. Formula: improvement factor of "
        "Leviathan et al.\n{}{}",
        temperature, tasks_text(trials), found.cost_origin, lengths_text(settings, all.c()),
        best_text(settings));
  }
  return text;
}

std::string draft_findings_json(const DraftFindings& found) {
  const cost::MachineDraftSettings& all = found.settings;
  Json temperatures = Json::array();
  std::size_t i = 0;
  for (const auto& [temperature, trials] : found.trials) {
    const cost::DraftSettings& settings = all.by_temperature[i++];
    Json tasks = Json::object();
    for (const auto& [task, one] : trials.by_task)
      tasks[task] = {
          {"tokens", one.tokens}, {"coverage", one.coverage()}, {"agreement", one.agreement()}};
    Json rounds = Json::array();
    for (std::size_t n = 0; n < settings.size(); ++n) {
      const auto cell = settings.cell(n);
      rounds.push_back(
          {{"threshold", cell.threshold},
           {"rule", rule_of(cell)},
           {"draft_length", cell.draft_length},
           {"tokens_per_round", cell.tokens_per_round},
           {"drafted_per_round", cell.drafted_per_round},
           {"tokens_per_second", cell.tokens_per_second},
           {"improvement_factor",
            cost::improvement_factor(settings.agreement, cell.draft_length, all.c())}});
    }
    const auto best = settings.best();
    temperatures.push_back({{"temperature", temperature},
                            {"agreement", settings.agreement},
                            {"coverage", settings.coverage},
                            {"tasks", std::move(tasks)},
                            {"plain_tokens_per_second", settings.plain_tokens_per_second},
                            {"draft_length", best.draft_length},
                            {"threshold", best.threshold},
                            {"rule", rule_of(best)},
                            {"tokens_per_second", best.tokens_per_second},
                            {"rounds", std::move(rounds)}});
  }
  const Json json = {{"draft", found.draft},
                     {"draft_seconds", all.draft_seconds},
                     {"pass_seconds", all.pass_seconds},
                     {"c", all.c()},
                     {"context", all.context},
                     {"threads", all.threads},
                     {"draft_threads", all.draft_threads},
                     {"temperatures", std::move(temperatures)}};
  return json_text(json) + "\n";
}

}  // namespace outrider::calibrate
