#include "runtime/sampling/distribution.h"

#include <algorithm>

namespace outrider::sampling {

double Distribution::of(Token token) const {
  const auto found = std::lower_bound(tokens.begin(), tokens.end(), token);
  if (found == tokens.end() || *found != token) return 0;
  return probabilities[static_cast<std::size_t>(found - tokens.begin())];
}

void Distribution::reserve(std::size_t room) {
  tokens.reserve(room);
  probabilities.reserve(room);
}

double uniform(std::uint64_t sequence_seed, std::int64_t position, RandomUse use, int number) {
  return GumbelNoise::uniform(GumbelNoise(sequence_seed, position, use).bits(number));
}

Token draw(const Distribution& from, double u) {
  for (std::size_t i = 0; i < from.tokens.size(); ++i) {
    u -= from.probabilities[i];
    if (u < 0) return from.tokens[i];
  }
  return from.tokens.back();  // sums may round down
}

double acceptance(const Distribution& p, const Distribution& q, Token token) {
  return std::min(1.0, p.of(token) / q.of(token));
}

void residual(const Distribution& p, const Distribution& q, Distribution& out) {
  out.tokens.clear();
  out.probabilities.clear();
  out.reserve(p.tokens.capacity());
  double sum = 0;
  std::size_t of_q = 0;
  for (std::size_t i = 0; i < p.tokens.size(); ++i) {
    while (of_q < q.tokens.size() && q.tokens[of_q] < p.tokens[i]) ++of_q;
    const bool both = of_q < q.tokens.size() && q.tokens[of_q] == p.tokens[i];
    const double more = p.probabilities[i] - (both ? q.probabilities[of_q] : 0);
    if (!(more > 0)) continue;
    out.tokens.push_back(p.tokens[i]);
    out.probabilities.push_back(more);
    sum += more;
  }
  if (out.tokens.empty())
    out = p;
  else
    for (double& one : out.probabilities) one /= sum;
}

void without(const Distribution& q, Token token, Distribution& out) {
  out.reserve(q.tokens.capacity());
  out.tokens.resize(q.tokens.size());
  out.probabilities.resize(q.tokens.size());
  std::size_t left = 0;
  double of_left = 0;
  for (std::size_t i = 0; i < q.tokens.size(); ++i) {
    if (q.tokens[i] == token) continue;
    of_left += q.probabilities[i];
    out.tokens[left] = q.tokens[i];
    out.probabilities[left++] = q.probabilities[i];
  }
  out.tokens.resize(left);
  out.probabilities.resize(left);
  for (double& one : out.probabilities) one /= of_left;
}

}  // namespace outrider::sampling
