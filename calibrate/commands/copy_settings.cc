#include "calibrate/commands/copy_settings.h"

#include <fmt/core.h>

#include "calibrate/commands/pass_costs.h"

namespace outrider::calibrate {

artifacts::CopySettings find_settings(const engine::Engine& target,
                                      const std::vector<Answer>& answers,
                                      const std::vector<double>& thresholds,
                                      const ReplaySetting& replay) {
  const int context = usual_context(target, answers);
  const CostModel model =
      time_passes(target, {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 24, 32, 48, 72, 101}, context);
  artifacts::CopySettings settings = choose_settings(replay, thresholds, [&](int rows) {
    return model.seconds({Shape::kChain, rows, context});
  });
  settings.context = context;
  return settings;
}

std::string settings_text(const artifacts::CopySettings& settings) {
  std::string text = fmt::format(
      "tokens per second predicted from the times of passes behind {} tokens (and tokens per "
      "pass), "
      "by draft length and threshold; plain decoding {:.0f}\n       ",
      settings.context, settings.plain_tokens_per_second);
  for (const double threshold : settings.thresholds)
    text += threshold <= -1 ? fmt::format("  {:<12}", "none") : fmt::format("  {:<12}", threshold);
  const std::size_t columns = settings.thresholds.size();
  for (std::size_t i = 0; i < settings.tokens_per_second.size(); ++i) {
    if (i % columns == 0) text += fmt::format("\n{:<7}", settings.draft_lengths[i / columns]);
    text += fmt::format("  {:<12}", fmt::format("{:.0f} ({:.2f})", settings.tokens_per_second[i],
                                                settings.tokens_per_pass[i]));
  }
  text += fmt::format("\nchosen: drafts of {} tokens", settings.draft_length);
  return text +
         (settings.threshold <= -1 ? "\n" : fmt::format(", threshold {}\n", settings.threshold));
}

}  // namespace outrider::calibrate
