#include "runtime/draft/parallelspec/likely_tokens.h"

#include <algorithm>
#include <span>

#include "runtime/base/math.h"

namespace outrider::draft {
namespace {

/// The first of the tokens, which may be more than are drafted from: a record has those of the widest tree.
std::span<const sampling::RankedToken> shortlist(const RankedDepth& from, int length) {
  return std::span(from.tokens)
      .first(std::min(from.tokens.size(), static_cast<std::size_t>(length)));
}

}  // namespace

void draw_from(const PairWeights& pair_weights, const RankedDepth& from, int depth, Token before,
               double temperature, int width, std::vector<sampling::RankedToken>& drawn) {
  if (pair_weights.ranks(depth)) {
    rank_after(pair_weights, before, temperature, shortlist(from, shortlist_length(width)), width,
               drawn);
    return;
  }
  const auto best = shortlist(from, width);
  drawn.assign(best.begin(), best.end());
}

void rank_likely(const PairWeights& pair_weights, const RankedDepth& from, int depth, Token before,
                 double temperature, int width, std::vector<LikelyToken>& likely) {
  likely.clear();
  if (from.tokens.empty()) return;
  const double scale = temperature > 0 ? temperature : 1;
  const bool gains = pair_weights.ranks(depth);
  const double best = scale * from.tokens.front().value;
  double in_list = 0, with_gains = 0;
  for (const sampling::RankedToken& one : shortlist(from, kShortlist)) {
    double value = scale * one.value - best;
    if (temperature <= 0) in_list += math::exp(value);
    if (gains)
      value +=
          pair_weights.weight * static_cast<double>(pair_weights.counts->gain(before, one.token));
    with_gains += math::exp(value);
    likely.push_back({one.token, value});
  }
  // Of the best token's weight, which is 1.
  const double all = temperature > 0 ? 0 : math::exp(-from.log_best);
  const double log_sum = math::log(with_gains + std::max(0.0, all - in_list));
  const auto is_better = [](const LikelyToken& a, const LikelyToken& b) {
    return a.log_probability > b.log_probability ||
           (a.log_probability == b.log_probability && a.token < b.token);
  };
  const auto most = std::min(likely.size(), static_cast<std::size_t>(width));
  std::partial_sort(likely.begin(), likely.begin() + static_cast<std::ptrdiff_t>(most),
                    likely.end(), is_better);
  likely.resize(most);
  for (LikelyToken& one : likely) one.log_probability -= log_sum;
}

}  // namespace outrider::draft
