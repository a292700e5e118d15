#include "runtime/draft/parallelspec/pair_counts.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/math.h"

namespace outrider::draft {

PairCounts::PairCounts(std::vector<std::int32_t> occurrences, const std::vector<Pair>& pairs)
    : occurrences_(std::move(occurrences)), first_(occurrences_.size() + 1) {
  double total = 0;
  for (const std::int32_t count : occurrences_) total += count;
  for (const std::int32_t count : occurrences_)
    others_.push_back(static_cast<float>(math::log(kPrior / (count + kPrior))));
  const auto occurrences_of = [this](Token token) {
    return static_cast<double>(occurrences_.at(static_cast<std::size_t>(token)));
  };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [before, token, count] = pairs[i];
    if (count < 1 || count > occurrences_of(before) || count > occurrences_of(token))
      throw std::logic_error("PairCounts: a pair is more frequent than its tokens");
    if (i > 0 && std::pair(pairs[i - 1].before, pairs[i - 1].token) >= std::pair(before, token))
      throw std::logic_error("PairCounts: expected pairs in ascending order");
    const double share = occurrences_of(token) / total;
    const double conditional = (count + kPrior * share) / (occurrences_of(before) + kPrior);
    ++first_[static_cast<std::size_t>(before) + 1];
    tokens_.push_back(token);
    counts_.push_back(count);
    gains_.push_back(static_cast<float>(math::log(conditional / share)));
  }
  for (std::size_t token = 0; token < occurrences_.size(); ++token)
    first_[token + 1] += first_[token];
}

float PairCounts::gain(Token before, Token token) const {
  const auto row = static_cast<std::size_t>(before);
  const auto begin = tokens_.begin() + static_cast<std::ptrdiff_t>(first_[row]);
  const auto end = tokens_.begin() + static_cast<std::ptrdiff_t>(first_[row + 1]);
  const auto found = std::lower_bound(begin, end, token);
  if (found == end || *found != token) return others_[row];
  return gains_[static_cast<std::size_t>(found - tokens_.begin())];
}

std::vector<PairCounts::Pair> PairCounts::pairs() const {
  std::vector<Pair> all;
  for (std::size_t row = 0; row < occurrences_.size(); ++row)
    for (std::size_t i = first_[row]; i < first_[row + 1]; ++i)
      all.push_back({static_cast<Token>(row), tokens_[i], counts_[i]});
  return all;
}

int shortlist_length(int width) { return std::max(kShortlist, width); }

void rank_after(const PairWeights& pair_weights, Token before, double temperature,
                std::span<const sampling::RankedToken> shortlist, int width,
                std::vector<sampling::RankedToken>& ranked) {
  const double weight = temperature > 0 ? pair_weights.weight / temperature : pair_weights.weight;
  sampling::TopTokens top(width, ranked);
  for (const sampling::RankedToken& one : shortlist)
    top.add({one.token,
             one.value + weight * static_cast<double>(pair_weights.counts->gain(before, one.token)),
             one.score});
}

}  // namespace outrider::draft
