#include "runtime/report/trials_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace outrider::report {
namespace {

using cost::TemperatureTrials;
using cost::Trial;

std::string head(bool with_speeds) {
  std::string text =
      fmt::format("{:<8} {:>9} {:>9} {:>9} {:>9}", "", "tokens", "drafted", "passes", "verified");
  if (with_speeds) text += fmt::format(" {:>9} {:>9}", "tokens/s", "speed-up");
  return text + "\n";
}

/// @param plain  tokens per second of plain decoding; 0: speeds are not known
std::string row(const std::string& label, const Trial& trial, double plain,
                const std::vector<std::string>& names) {
  std::string text = fmt::format("{:<8} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}", label,
                                 trial.tokens_per_pass(), trial.drafted_per_round(),
                                 trial.draft_passes_per_round(), trial.verified_per_round());
  if (plain > 0)
    text +=
        fmt::format(" {:>9.0f} {:>9.2f}", trial.tokens_per_second, trial.tokens_per_second / plain);
  return text + "  " + flags_text(names, trial) + "\n";
}

/// @return nullptr where there are none
const Trial* fastest_chain(const TemperatureTrials& priced) {
  const Trial* fastest = nullptr;
  for (const Trial& one : priced.trials)
    if (one.shape == cost::Shape::kChain &&
        (fastest == nullptr || one.tokens_per_second > fastest->tokens_per_second))
      fastest = &one;
  return fastest;
}

/// A value of a trial's setting. @return nothing where it has none
std::optional<cost::SettingValue> value_of(const Trial& trial, const std::string& name) {
  const auto found = trial.settings.find(name);
  if (found == trial.settings.end()) return std::nullopt;
  return found->second;
}

/// The settings of which not all trials have the same value.
std::vector<std::string> varying(const std::vector<Trial>& trials,
                                 const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (std::any_of(trials.begin(), trials.end(), [&](const Trial& trial) {
          return value_of(trial, name) != value_of(trials.front(), name);
        }))
      found.push_back(name);
  return found;
}

/// The speed of every trial by its two numbers, the first down, or by the only one; nothing where trials differ in others.
std::string table_text(const TemperatureTrials& priced, const std::vector<std::string>& names) {
  const std::vector<std::string> two = varying(priced.trials, names);
  if (two.empty() || two.size() > 2) return "";
  std::map<double, std::map<double, const Trial*>> rows;
  std::set<double> columns;
  for (const Trial& trial : priced.trials) {
    for (const std::string& name : two) {
      const auto value = value_of(trial, name);
      if (!value || !std::holds_alternative<double>(*value)) return "";
    }
    const double column = two.size() == 2 ? cost::number_of(trial.settings, two[1]) : 0;
    rows[cost::number_of(trial.settings, two[0])][column] = &trial;
    columns.insert(column);
  }
  std::string text = fmt::format("tokens per second (and per pass) by {} (down){}\n        ",
                                 two[0], two.size() == 2 ? " and " + two[1] : "");
  if (two.size() == 2)
    for (const double column : columns) text += fmt::format("  {:<12g}", column);
  for (const auto& [number, row] : rows) {
    text += fmt::format("\n{:<8g}", number);
    for (const double column : columns) {
      const auto found = row.find(column);
      text += fmt::format("  {:<12}",
                          found == row.end()
                              ? ""
                              : fmt::format("{:.0f} ({:.2f})", found->second->tokens_per_second,
                                            found->second->tokens_per_pass()));
    }
  }
  return text + "\n";
}

}  // namespace

std::string flags_text(const std::vector<std::string>& names, const Trial& trial) {
  std::string text;
  for (const std::string& name : names) {
    const auto found = trial.settings.find(name);
    if (found == trial.settings.end()) continue;
    const double* const number = std::get_if<double>(&found->second);
    text += fmt::format(
        "{}--{} {}", text.empty() ? "" : " ", name,
        number != nullptr ? fmt::format("{:g}", *number) : std::get<std::string>(found->second));
  }
  return text;
}

std::string chosen_text(const TemperatureTrials& priced, const std::vector<std::string>& names,
                        const cost::Preference& preference, const std::string& label) {
  const Trial& best = *priced.best(names, {}, preference);
  const double plain = priced.plain_tokens_per_second;
  std::string text = head(true) + row(label, best, plain, names);
  if (const Trial* chain = fastest_chain(priced)) text += row("chain", *chain, plain, names);
  if (best.tokens_per_second < plain)
    text += fmt::format("plain decoding is faster: {:.0f} tokens/s\n", plain);
  return text;
}

std::string trials_text(cost::Trials trials, const std::vector<PricesOn>& machines,
                        const cost::Preference& preference) {
  std::string text;
  for (TemperatureTrials& one : trials.by_temperature) {
    text +=
        fmt::format("{}Temperature {:g}: {} settings tried at {} positions\n",
                    text.empty() ? "" : "\n", one.temperature, one.trials.size(), one.positions);
    if (machines.empty()) {
      const Trial& most = *std::max_element(
          one.trials.begin(), one.trials.end(),
          [](const Trial& a, const Trial& b) { return a.tokens_per_pass() < b.tokens_per_pass(); });
      text += head(false) + row("most", most, 0, trials.names);
    }
    for (const PricesOn& machine : machines) {
      one.price(
          cost::TrialPrices::at(one.temperature, machine.passes, trials.context, machine.drafting));
      text +=
          fmt::format("on {}, {} threads\n{}{}", machine.machine, machine.drafting.threads,
                      chosen_text(one, trials.names, preference), table_text(one, trials.names));
    }
  }
  return text;
}

}  // namespace outrider::report
