#include "data/study/stop_gains.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace outrider::study {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
using Texts = std::vector<std::size_t>;

const StopCell* cell_of(const StopStudy& study, const std::string& policy) {
  for (const StopCell& cell : study.cells)
    if (cell.name == policy) return &cell;
  return nullptr;
}

/// Seconds per token; unknown without tokens.
double time_of(const StopCell* cell, const Texts& texts) {
  if (cell == nullptr) return kUnknown;
  double seconds = 0, tokens = 0;
  for (const std::size_t text : texts) {
    seconds += cell->seconds_of_texts[text];
    tokens += static_cast<double>(cell->tokens_of_texts[text]);
  }
  return tokens > 0 ? seconds / tokens : kUnknown;
}

double time_of(const StopStudy& study, const std::string& policy, const Texts& texts) {
  return time_of(cell_of(study, policy), texts);
}

bool is_static(const StopCell& cell) { return cell.name.starts_with("static"); }

double static_time(const StopStudy& study, const Texts& texts) {
  double least = kUnknown;
  for (const StopCell& cell : study.cells)
    if (is_static(cell)) least = std::fmin(least, time_of(&cell, texts));
  return least;
}

double gain_of(const StopStudy& study, const std::string& policy, StopGain gain,
               const Texts& texts) {
  const double time = time_of(study, policy, texts);
  switch (gain) {
    case StopGain::kTimeOfTarget:
      return time / time_of(study, "target", texts);
    case StopGain::kTimeOfStatic:
      return time / static_time(study, texts);
    case StopGain::kTimeOfHeuristic:
      return time / time_of(study, "heuristic", texts);
    case StopGain::kShareOfGap: {
      const double fixed = static_time(study, texts);
      const double gap = fixed - time_of(study, "oracle", texts);
      return gap > 0 ? (fixed - time) / gap : kUnknown;
    }
  }
  return kUnknown;
}

}  // namespace

std::optional<Interval> stop_gain(std::span<const StopStudy> studies, const std::string& policy,
                                  StopGain gain) {
  std::vector<std::size_t> sizes;
  for (const StopStudy& study : studies)
    sizes.push_back(study.cells.empty() ? 0 : study.cells.front().seconds_of_texts.size());
  const Interval found = bootstrap(sizes, [&](const ChosenTexts& texts) {
    double sum = 0;
    for (std::size_t i = 0; i < studies.size(); ++i)
      sum += gain_of(studies[i], policy, gain, texts[i]);
    return sum / static_cast<double>(studies.size());
  });
  if (!std::isfinite(found.value)) return std::nullopt;
  return found;
}

std::optional<Interval> stop_gain(const StopStudy& study, const std::string& policy,
                                  StopGain gain) {
  return stop_gain(std::span(&study, 1), policy, gain);
}

}  // namespace outrider::study
