#include "runtime/sampling/row_scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "runtime/base/math.h"
#include "runtime/sampling/arg_max.h"

namespace outrider::sampling {
namespace {

constexpr int kGroup = engine::ScoreKernels::kGroup;
constexpr float kNever = -std::numeric_limits<float>::infinity();

}  // namespace

void report_best(std::span<const engine::RankedLogit> best, const engine::ExpSums& all,
                 float largest, RowScores& scores) {
  if (std::isnan(all.exp_times)) throw std::logic_error("RowScorer: a logit is NaN");
  const double log_sum = math::log(all.exp);
  scores.ids.clear();
  scores.log_probs.clear();
  for (const engine::RankedLogit& kept : best) {
    const double x = static_cast<double>(kept.logit) - static_cast<double>(largest);
    scores.ids.push_back(kept.token);
    scores.log_probs.push_back(static_cast<float>(x - log_sum));
  }
  scores.entropy = static_cast<float>(log_sum - all.exp_times / all.exp);
}

void report_scores(std::span<const engine::RankedLogit> best, const engine::ExpSums& rest,
                   float largest, RowScores& scores) {
  engine::ExpSums all = rest;
  for (const engine::RankedLogit& kept : best) {
    const double x = static_cast<double>(kept.logit) - static_cast<double>(largest);
    const double e = math::exp(x);
    all.exp += e;
    if (e > 0) all.exp_times += e * x;
  }
  report_best(best, all, largest, scores);
  scores.outside = static_cast<float>(rest.exp / all.exp);
}

RowScorer::RowScorer(int top, int vocab, const engine::ScoreKernels& kernels)
    : kernels_(kernels),
      top_(static_cast<std::size_t>(top)),
      maxima_(static_cast<std::size_t>((vocab + kGroup - 1) / kGroup)) {
  if (top < 0 || top > vocab) throw std::logic_error("RowScorer: more tokens than the vocabulary");
  ranked_.reserve(std::min(static_cast<std::size_t>(vocab), top_ * kGroup));  // more only for ties
  kept_.reserve(top_);
}

void RowScorer::rank(std::span<const float> logits) {
  ranked_.clear();
  if (top_ == 0) return;
  // As many groups as tokens are wanted have a logit of at least `least`, so the tokens wanted
  // reach it too, and only the groups that do have to be looked into.
  float least = kNever;
  if (top_ <= maxima_.size()) {
    sorted_ = maxima_;
    const auto last = sorted_.begin() + static_cast<std::ptrdiff_t>(top_) - 1;
    std::nth_element(sorted_.begin(), last, sorted_.end(), std::greater<>());
    least = *last;
  }
  for (std::size_t group = 0; group < maxima_.size(); ++group) {
    if (maxima_[group] < least) continue;
    const std::size_t begin = group * kGroup;
    const std::size_t end = std::min(begin + kGroup, logits.size());
    for (std::size_t i = begin; i < end; ++i) {
      if (logits[i] >= least) ranked_.push_back({logits[i], static_cast<Token>(i)});
    }
  }
  const auto middle = ranked_.begin() + static_cast<std::ptrdiff_t>(top_);
  std::partial_sort(ranked_.begin(), middle, ranked_.end());
  ranked_.erase(middle, ranked_.end());
}

float RowScorer::find_largest(std::span<const float> logits) {
  if ((logits.size() + kGroup - 1) / kGroup != maxima_.size())
    throw std::logic_error("RowScorer: the logits are not those of the vocabulary");
  kernels_.group_maxima(logits.data(), static_cast<int>(logits.size()), maxima_.data());
  // The first of the best groups, and in it the first of the best.
  const auto group = static_cast<std::size_t>(arg_max(maxima_));
  const auto rest_of_row = logits.subspan(group * kGroup);
  most_likely_ = static_cast<Token>(group * kGroup) +
                 arg_max(rest_of_row.first(std::min<std::size_t>(kGroup, rest_of_row.size())));
  return maxima_[group];
}

void RowScorer::score(std::span<const float> logits, RowScores& scores) {
  const float largest = find_largest(logits);
  rank(logits);
  // Summed without the tokens kept, so that a small rest is not lost in a difference.
  kept_.clear();
  for (const engine::RankedLogit& kept : ranked_) kept_.push_back(kept.token);
  std::sort(kept_.begin(), kept_.end());
  const engine::ExpSums rest =
      kernels_.exp_sums(logits.data(), static_cast<int>(logits.size()), largest, kept_.data(),
                        static_cast<int>(kept_.size()));
  report_scores(ranked_, rest, largest, scores);
}

void RowScorer::sum(std::span<const float> logits, bool wants_best, engine::RowAnswer& answer) {
  answer.largest = find_largest(logits);
  answer.likeliest = most_likely_;
  answer.rest =
      kernels_.exp_sums(logits.data(), static_cast<int>(logits.size()), answer.largest, nullptr, 0);
  if (std::isnan(answer.rest.exp_times)) throw std::logic_error("RowScorer: a logit is NaN");
  answer.best.clear();
  if (!wants_best) return;
  rank(logits);
  answer.best.assign(ranked_.begin(), ranked_.end());
}

}  // namespace outrider::sampling
