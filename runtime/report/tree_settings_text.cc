#include "runtime/report/tree_settings_text.h"

#include <fmt/core.h>

namespace outrider::report {
namespace {

std::string tree_row(const char* name, const cost::TreeTrial& trial, double plain) {
  return fmt::format(
      "{:<8} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.0f} {:>9.2f}  --tree {} "
      "--draft-length {} --draft-threshold {:g}\n",
      name, trial.tokens_per_pass(), trial.drafted_per_round(), trial.draft_passes_per_round(),
      trial.tokens_per_second, trial.tokens_per_second / plain, trial.setting.tree(),
      trial.setting.length, trial.setting.threshold);
}

}  // namespace

std::string tree_settings_text(const cost::MachineTreeSettings& settings) {
  std::string text;
  for (const cost::TreeSettings& one : settings.by_temperature) {
    const double plain = one.plain_tokens_per_second;
    const cost::TreeTrial& best = *one.best();
    text += fmt::format(
        "{}Temperature {:g}: {} positions; {} trees kept\n"
        "{:<8} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        text.empty() ? "" : "\n", one.temperature, one.positions, one.trials.size(), "", "tokens",
        "drafted", "passes", "tokens/s", "speed-up");
    text += tree_row("chosen", best, plain);
    if (const cost::TreeTrial* chain = one.best({.widths = std::vector<int>()}))
      text += tree_row("chain", *chain, plain);
    if (best.tokens_per_second < plain)
      text += fmt::format("plain decoding is faster: {:.0f} tokens/s\n", plain);
  }
  return text;
}

}  // namespace outrider::report
