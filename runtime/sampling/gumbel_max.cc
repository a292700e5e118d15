#include "runtime/sampling/gumbel_max.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace outrider::sampling {
namespace {

/// The best token so far. Most tokens are rejected by a bound on their noise, which costs no logarithm;
/// rounding is monotone, so a token rejected by the bound cannot be the best.
class Best {
 public:
  explicit Best(const GumbelNoise& noise) : noise_(noise) {}

  bool out_of_reach(double most) const { return most < value_; }

  void add(Token token, double score, std::uint32_t upper_half) {
    if (out_of_reach(score + GumbelNoise::bound(upper_half))) return;
    const double value = score + noise_.value(token);
    if (value > value_ || (value == value_ && token < token_)) {
      value_ = value;
      token_ = token;
    }
  }

  Token token() const { return token_; }

 private:
  const GumbelNoise& noise_;
  double value_ = -std::numeric_limits<double>::infinity();
  Token token_ = std::numeric_limits<Token>::max();
};

/// Adds a token with its noise, unless a bound on it shows that it is not among the best.
void add_perturbed(Token token, double score, std::uint32_t upper_half, const GumbelNoise& noise,
                   TopTokens& top) {
  if (top.out_of_reach(score + GumbelNoise::bound(upper_half))) return;
  top.add({token, score + noise.value(token), score});
}

/// Calls add(index, token, upper half) for the tokens of every block whose largest score, with a bound on its noise, is not
/// out of reach.
template <class OutOfReach, class Add>
void visit_blocks(const NoisyScores& of, const OutOfReach& out_of_reach, const Add& add) {
  constexpr Token kBlock = GumbelNoise::kBlock;
  const std::size_t count = of.scores.size();
  const bool is_whole = of.tokens.empty();
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    const Token block = of.token(begin) / kBlock;
    if (is_whole)
      end = std::min(begin + kBlock, count);
    else
      while (end < count && of.tokens[end] / kBlock == block) ++end;
    const double bound =
        of.bounds.empty() ? GumbelNoise::kMost
                          : GumbelNoise::bound_of_zeros(of.bounds[static_cast<std::size_t>(block)]);
    const double largest = of.scores.largest(begin, end);
    if (out_of_reach(largest, bound)) continue;
    const auto upper_halves = of.noise.upper_halves(block);
    if (of.bounds.empty()) {
      const std::uint32_t least =
          *std::min_element(std::begin(upper_halves.of), std::end(upper_halves.of));
      if (out_of_reach(largest, GumbelNoise::bound(least))) continue;
    }
    for (std::size_t i = begin; i < end; ++i)
      add(i, of.token(i), upper_halves.of[of.token(i) % kBlock]);
  }
}

}  // namespace

Token gumbel_max(std::span<const Candidate> candidates, const GumbelNoise& noise) {
  Best best(noise);
  for (const Candidate& candidate : candidates)
    best.add(candidate.token, candidate.score, noise.upper_half(candidate.token));
  return best.token();
}

Token gumbel_max(const NoisyScores& of) {
  Best best(of.noise);
  const auto add = [&](std::size_t i, Token token, std::uint32_t upper_half) {
    best.add(token, of.scores[i], upper_half);
  };
  // First, so that its score rejects as many of the others as possible.
  const Token likeliest = of.token(of.likeliest);
  add(of.likeliest, likeliest, of.noise.upper_half(likeliest));
  visit_blocks(
      of, [&](double score, double bound) { return best.out_of_reach(score + bound); }, add);
  return best.token();
}

void gumbel_top(std::span<const Candidate> candidates, const GumbelNoise& noise, TopTokens& top) {
  for (const Candidate& candidate : candidates)
    add_perturbed(candidate.token, candidate.score, noise.upper_half(candidate.token), noise, top);
}

void gumbel_top(const NoisyScores& of, double least_score, TopTokens& top) {
  const auto add = [&](std::size_t i, Token token, std::uint32_t upper_half) {
    add_perturbed(token, of.scores[i], upper_half, of.noise, top);
  };
  const Token likeliest = of.token(of.likeliest);
  add(of.likeliest, likeliest, of.noise.upper_half(likeliest));
  visit_blocks(
      of,
      [&](double score, double bound) {
        return score < least_score || top.out_of_reach(score + bound);
      },
      [&](std::size_t i, Token token, std::uint32_t upper_half) {
        if (i != of.likeliest && of.scores[i] >= least_score) add(i, token, upper_half);
      });
}

}  // namespace outrider::sampling
