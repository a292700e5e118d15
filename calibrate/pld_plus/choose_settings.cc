#include "calibrate/pld_plus/choose_settings.h"

namespace outrider::calibrate {

std::vector<int> copied_draft_lengths() {
  return {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 70, 100};
}

draft::PldPlusSettings choose_settings(const ReplaySetting& replay,
                                       const std::vector<double>& thresholds,
                                       const cost::PassSeconds& pass_seconds) {
  draft::PldPlusSettings found;
  found.plain_tokens_per_second = 1 / pass_seconds(1);
  found.draft_lengths = copied_draft_lengths();
  found.thresholds = thresholds;
  double best = 0;
  for (const int draft_length : found.draft_lengths) {
    for (const double threshold : thresholds) {
      const Replay tried = replay(draft_length, threshold);
      const double rate = predicted_rate(tried, pass_seconds);
      found.tokens_per_pass.push_back(tried.tokens_per_pass());
      found.drafted_per_pass.push_back(tried.drafted_per_pass());
      found.tokens_per_second.push_back(rate);
      if (rate <= best && found.draft_length > 0) continue;
      best = rate;
      found.draft_length = draft_length;
      found.threshold = threshold;
    }
  }
  return found;
}

}  // namespace outrider::calibrate
