#include "runtime/report/trials_text.h"

#include <fmt/core.h>

#include <algorithm>

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
      text += fmt::format("on {}, {} threads\n{}", machine.machine, machine.drafting.threads,
                          chosen_text(one, trials.names, preference));
    }
  }
  return text;
}

}  // namespace outrider::report
