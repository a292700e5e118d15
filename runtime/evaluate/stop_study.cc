#include "runtime/evaluate/stop_study.h"

#include <algorithm>
#include <cmath>

#include "runtime/draft/model/model_drafter.h"

namespace outrider::evaluate {

void StopCell::add(const decode::DecodeResult& result, double seconds) {
  sums.add(result);
  sums.seconds += seconds - result.stats.decode_seconds;
  for (const draft::DrafterCount& one : result.stats.draft_counts)
    if (one.name == draft::ModelDrafter::kPasses) draft_passes += one.count;
  tokens_of_texts.push_back(std::max<std::int64_t>(std::ssize(result.tokens) - 1, 0));
  seconds_of_texts.push_back(seconds);
}

PairedMean paired_ratio(const StopCell& cell, const StopCell& other) {
  double sum = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < cell.seconds_of_texts.size(); ++i) {
    const auto tokens = static_cast<double>(cell.tokens_of_texts[i]);
    const auto of_other = static_cast<double>(other.tokens_of_texts.at(i));
    const double seconds = other.seconds_of_texts.at(i);
    if (!(tokens > 0 && of_other > 0 && seconds > 0)) continue;
    const double ratio = (cell.seconds_of_texts[i] / tokens) / (seconds / of_other);
    sum += ratio;
    squares += ratio * ratio;
    ++count;
  }
  if (count == 0) return {};
  const double mean = sum / count;
  if (count < 2) return {mean, 0};
  const double variance = std::max(squares - count * mean * mean, 0.0) / (count - 1);
  return {mean, 1.96 * std::sqrt(variance / count)};
}

}  // namespace outrider::evaluate
