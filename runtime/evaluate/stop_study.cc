#include "runtime/evaluate/stop_study.h"

#include <algorithm>
#include <cmath>

#include "runtime/draft/model/model_drafter.h"

namespace outrider::evaluate {

void StopCell::add(const decode::DecodeResult& result) {
  sums.add(result);
  for (const draft::DrafterCount& one : result.stats.draft_counts)
    if (one.name == draft::ModelDrafter::kPasses) draft_passes += one.count;
  const auto tokens = static_cast<double>(result.tokens.size());
  seconds_per_token.push_back(tokens > 1 ? result.stats.decode_seconds / (tokens - 1) : 0);
}

PairedMean paired_ratio(const StopCell& cell, const StopCell& other) {
  double sum = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < cell.seconds_per_token.size(); ++i) {
    if (!(other.seconds_per_token.at(i) > 0)) continue;
    const double ratio = cell.seconds_per_token[i] / other.seconds_per_token[i];
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

std::optional<SavedTime> saved_time(const StopCell& cell, const StopStudy& study) {
  const StopCell *fixed = nullptr, *oracle = nullptr;
  for (const StopCell& one : study.cells) {
    if (one.name == "oracle") oracle = &one;
    if (one.name.rfind("static", 0) != 0) continue;
    if (fixed == nullptr || one.milliseconds_per_token() < fixed->milliseconds_per_token())
      fixed = &one;
  }
  const bool is_between = &cell != &study.cells.front() && cell.name.rfind("static", 0) != 0;
  if (fixed == nullptr || oracle == nullptr || &cell == oracle || !is_between) return std::nullopt;
  const double gap = fixed->milliseconds_per_token() - oracle->milliseconds_per_token();
  if (!(gap > 0)) return std::nullopt;
  return SavedTime{fixed->name, paired_ratio(cell, *fixed),
                   (fixed->milliseconds_per_token() - cell.milliseconds_per_token()) / gap};
}

}  // namespace outrider::evaluate
