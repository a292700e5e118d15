#include "runtime/sampling/gumbel_race.h"

#include <algorithm>
#include <limits>

namespace outrider::sampling {
namespace {

/// Who leads so far. Most tokens are turned away by a bound on their noise, which costs no
/// logarithm; rounding is monotone, so a token that the bound turns away could not have won.
class Leader {
 public:
  explicit Leader(const GumbelNoise& noise) : noise_(noise) {}

  bool out_of_reach(double most) const { return most < value_; }

  void enter(Token token, double score, std::uint32_t upper_half) {
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

}  // namespace

Token race(std::span<const Candidate> candidates, const GumbelNoise& noise) {
  Leader leader(noise);
  for (const Candidate& candidate : candidates)
    leader.enter(candidate.token, candidate.score, noise.upper_half(candidate.token));
  return leader.token();
}

Token race(std::span<const double> scores, Token favourite, const GumbelNoise& noise) {
  constexpr std::size_t kBlock = GumbelNoise::kBlock;
  Leader leader(noise);
  // First, so that it turns away as many of the others as it can.
  leader.enter(favourite, scores[static_cast<std::size_t>(favourite)], noise.upper_half(favourite));
  for (std::size_t begin = 0; begin < scores.size(); begin += kBlock) {
    const auto block = scores.subspan(begin, std::min(kBlock, scores.size() - begin));
    double highest = block[0];
    for (const double score : block) highest = score > highest ? score : highest;
    if (leader.out_of_reach(highest + GumbelNoise::kMost)) continue;
    const auto upper_halves = noise.upper_halves(static_cast<std::int64_t>(begin / kBlock));
    const std::uint32_t least = *std::min_element(upper_halves.begin(), upper_halves.end());
    if (leader.out_of_reach(highest + GumbelNoise::bound(least))) continue;
    for (std::size_t i = 0; i < block.size(); ++i)
      leader.enter(static_cast<Token>(begin + i), block[i], upper_halves[i]);
  }
  return leader.token();
}

}  // namespace outrider::sampling
