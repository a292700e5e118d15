#include "runtime/sampling/gumbel_max.h"

#include <algorithm>
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

double largest(std::span<const double> scores) {
  double most = scores[0];
  for (const double score : scores) most = score > most ? score : most;
  return most;
}

}  // namespace

Token gumbel_max(std::span<const Candidate> candidates, const GumbelNoise& noise) {
  Best best(noise);
  for (const Candidate& candidate : candidates)
    best.add(candidate.token, candidate.score, noise.upper_half(candidate.token));
  return best.token();
}

Token gumbel_max(std::span<const double> scores, Token likeliest, const GumbelNoise& noise) {
  constexpr std::size_t kBlock = GumbelNoise::kBlock;
  Best best(noise);
  // First, so that its score rejects as many of the others as possible.
  best.add(likeliest, scores[static_cast<std::size_t>(likeliest)], noise.upper_half(likeliest));
  for (std::size_t begin = 0; begin < scores.size(); begin += kBlock) {
    const auto block = scores.subspan(begin, std::min(kBlock, scores.size() - begin));
    const double highest = largest(block);
    if (best.out_of_reach(highest + GumbelNoise::kMost)) continue;
    const auto upper_halves = noise.upper_halves(static_cast<std::int64_t>(begin / kBlock));
    const std::uint32_t least = *std::min_element(upper_halves.begin(), upper_halves.end());
    if (best.out_of_reach(highest + GumbelNoise::bound(least))) continue;
    for (std::size_t i = 0; i < block.size(); ++i)
      best.add(static_cast<Token>(begin + i), block[i], upper_halves[i]);
  }
  return best.token();
}

Token gumbel_max(std::span<const Token> tokens, std::span<const double> scores,
                 std::size_t likeliest, const GumbelNoise& noise) {
  Best best(noise);
  best.add(tokens[likeliest], scores[likeliest], noise.upper_half(tokens[likeliest]));
  for (std::size_t begin = 0, end = 0; begin < tokens.size(); begin = end) {
    const Token block = tokens[begin] / GumbelNoise::kBlock;
    while (end < tokens.size() && tokens[end] / GumbelNoise::kBlock == block) ++end;
    if (best.out_of_reach(largest(scores.subspan(begin, end - begin)) + GumbelNoise::kMost))
      continue;
    const auto upper_halves = noise.upper_halves(block);
    for (std::size_t i = begin; i < end; ++i)
      best.add(tokens[i], scores[i],
               upper_halves[static_cast<std::size_t>(tokens[i] % GumbelNoise::kBlock)]);
  }
  return best.token();
}

void gumbel_top(std::span<const Candidate> candidates, const GumbelNoise& noise, TopTokens& top) {
  for (const Candidate& candidate : candidates)
    add_perturbed(candidate.token, candidate.score, noise.upper_half(candidate.token), noise, top);
}

void gumbel_top(std::span<const Token> tokens, std::span<const double> scores,
                std::size_t likeliest, double least_score, const GumbelNoise& noise,
                TopTokens& top) {
  const auto token = [&](std::size_t i) {
    return tokens.empty() ? static_cast<Token>(i) : tokens[i];
  };
  add_perturbed(token(likeliest), scores[likeliest], noise.upper_half(token(likeliest)), noise,
                top);
  for (std::size_t begin = 0, end = 0; begin < scores.size(); begin = end) {
    const Token block = token(begin) / GumbelNoise::kBlock;
    while (end < scores.size() && token(end) / GumbelNoise::kBlock == block) ++end;
    const double highest = largest(scores.subspan(begin, end - begin));
    if (highest < least_score || top.out_of_reach(highest + GumbelNoise::kMost)) continue;
    const auto halves = noise.upper_halves(block);
    for (std::size_t i = begin; i < end; ++i)
      if (i != likeliest)
        add_perturbed(token(i), scores[i],
                      halves[static_cast<std::size_t>(token(i) % GumbelNoise::kBlock)], noise, top);
  }
}

}  // namespace outrider::sampling
