#include <algorithm>

#include "runtime/sampling/distribution.h"

namespace outrider::sampling {
namespace {

struct Both {
  double p, q;
  double p_after = 0;  // of this one and all after it
};

/// What both give tokens that both can choose.
std::vector<Both> shared_tokens(const Distribution& p, const Distribution& q) {
  std::vector<Both> both;
  std::size_t of_q = 0;
  for (std::size_t i = 0; i < p.tokens.size(); ++i) {
    while (of_q < q.tokens.size() && q.tokens[of_q] < p.tokens[i]) ++of_q;
    if (of_q < q.tokens.size() && q.tokens[of_q] == p.tokens[i])
      both.push_back({.p = p.probabilities[i], .q = q.probabilities[of_q]});
  }
  return both;
}

}  // namespace

double mean_acceptance(const Distribution& p, const Distribution& q) {
  double sum = 0;
  for (const Both& one : shared_tokens(p, q)) sum += std::min(one.p, one.q);
  return std::min(sum, 1.0);
}

double coupled_acceptance(const Distribution& p, const Distribution& q) {
  // Over w, p_w / p_v is the larger one of the two where p_w / q_w is at least p_v / q_v, so with the tokens
  // in the order of that ratio both sums are over what comes before or after v: tokens that only q has
  // come first of all, those that only p has last.
  std::vector<Both> both = shared_tokens(p, q);
  std::sort(both.begin(), both.end(),
            [](const Both& a, const Both& b) { return a.p * b.q < b.p * a.q; });
  double of_p = 0, of_q = 0;
  for (const Both& one : both) {
    of_p += one.p;
    of_q += one.q;
  }
  double p_after = std::max(1 - of_p, 0.0);
  for (auto v = both.rbegin(); v != both.rend(); ++v) v->p_after = p_after += v->p;
  double q_before = std::max(1 - of_q, 0.0), sum = 0;
  for (const Both& v : both) {
    sum += 1 / (v.p_after / v.p + q_before / v.q);
    q_before += v.q;
  }
  return std::min(sum, 1.0);
}

}  // namespace outrider::sampling
