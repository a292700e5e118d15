#include "runtime/draft/copy/pld_plus_settings.h"

#include <fmt/core.h>

#include <algorithm>

namespace outrider::draft {

std::string temperature_name(const PldPlusSettings& settings) {
  return settings.temperature ? fmt::format("temperature {}", *settings.temperature)
                              : "any temperature";
}

PldPlusSettings priced(PldPlusSettings settings,
                       const std::function<double(int rows)>& pass_seconds) {
  const double plain = pass_seconds(1);
  settings.plain_tokens_per_second = 1 / plain;
  const std::size_t thresholds = settings.thresholds.size();
  double fastest = 0;
  for (std::size_t i = 0; i < settings.tokens_per_pass.size(); ++i) {
    const std::int32_t length = settings.draft_lengths[i / thresholds];
    if (length < 1) continue;  // in a damaged file
    const double drafting = std::clamp(settings.drafted_per_pass[i] / length, 0.0, 1.0);
    const double seconds = plain + drafting * (pass_seconds(1 + length) - plain);
    settings.tokens_per_second[i] = settings.tokens_per_pass[i] / seconds;
    if (settings.tokens_per_second[i] <= fastest) continue;
    fastest = settings.tokens_per_second[i];
    settings.draft_length = length;
    settings.threshold = settings.thresholds[i % thresholds];
  }
  if (settings.by_step) {
    for (std::size_t rows = 0; rows < settings.by_step->seconds.size(); ++rows)
      settings.by_step->seconds[rows] = pass_seconds(1 + static_cast<int>(rows));
  }
  return settings;
}

double speed_up(const PldPlusSettings& settings) {
  if (settings.tokens_per_second.empty() || !(settings.plain_tokens_per_second > 0)) return 0;
  const double fixed =
      *std::max_element(settings.tokens_per_second.begin(), settings.tokens_per_second.end());
  // Lengths by step were compared on half of the answers only, so what they gain is a ratio.
  const bool by_step = settings.by_step && settings.by_step->fixed_tokens_per_second > 0;
  const double gain =
      by_step ? settings.by_step->tokens_per_second / settings.by_step->fixed_tokens_per_second : 1;
  return fixed / settings.plain_tokens_per_second * std::max(1.0, gain);
}

}  // namespace outrider::draft
