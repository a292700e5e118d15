#include "tests/sampling/straightforward_sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/base/gumbel_noise.h"

namespace outrider::test {
namespace {

std::vector<double> penalised(std::span<const float> logits,
                              const sampling::SamplerOptions& options,
                              const sampling::TokenCounts& counts) {
  std::vector<double> z(logits.begin(), logits.end());
  for (const auto& [token, in_prompt, in_text] : counts.counts()) {
    double& z_i = z[static_cast<std::size_t>(token)];
    z_i = z_i > 0 ? z_i / options.repetition_penalty : z_i * options.repetition_penalty;
    if (in_text > 0) z_i -= options.presence_penalty + options.frequency_penalty * in_text;
  }
  for (const auto& [token, bias] : options.logit_bias) z[static_cast<std::size_t>(token)] += bias;
  return z;
}

double sum(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

/// Zeroes the weights of all tokens but the first `n` in order of rank.
void keep_first(std::vector<double>& weights, const std::vector<std::size_t>& rank, std::size_t n) {
  for (std::size_t i = n; i < rank.size(); ++i) weights[rank[i]] = 0;
}

}  // namespace

Distribution exact_distribution(std::span<const float> logits,
                                const sampling::SamplerOptions& options,
                                const sampling::TokenCounts& counts) {
  Distribution out;
  std::vector<double> z = penalised(logits, options, counts);
  const double largest = *std::max_element(z.begin(), z.end());
  for (const double z_i : z) out.scores.push_back((z_i - largest) / options.temperature);

  std::vector<std::size_t> rank(z.size());
  std::iota(rank.begin(), rank.end(), std::size_t{0});
  std::stable_sort(rank.begin(), rank.end(),
                   [&](std::size_t a, std::size_t b) { return out.scores[a] > out.scores[b]; });
  std::vector<double> weights;
  for (const double score : out.scores) weights.push_back(std::exp(score));

  if (options.top_k > 0) keep_first(weights, rank, static_cast<std::size_t>(options.top_k));
  if (options.top_p < 1) {
    const double total = sum(weights);
    double reached = 0;
    std::size_t kept = 0;
    do {
      reached += weights[rank[kept++]];
      out.margin = std::min(out.margin, std::abs(reached / total - options.top_p));
    } while (reached < options.top_p * total && kept < rank.size());
    keep_first(weights, rank, kept);
  }
  for (std::size_t i = 0; i < weights.size() && options.min_p > 0; ++i) {
    if (out.scores[i] != 0)
      out.margin = std::min(out.margin, std::abs(std::exp(out.scores[i]) / options.min_p - 1));
    if (std::exp(out.scores[i]) < options.min_p) weights[i] = 0;
  }
  const double total = sum(weights);
  for (const double weight : weights) out.probabilities.push_back(weight / total);
  return out;
}

Token straightforward_choice(const Distribution& distribution, std::uint64_t sequence_seed,
                             std::int64_t position) {
  const GumbelNoise noise(sequence_seed, position);
  Token best = -1;
  double best_value = 0;
  for (std::size_t i = 0; i < distribution.scores.size(); ++i) {
    if (distribution.probabilities[i] == 0) continue;
    const double value = distribution.scores[i] + noise.value(static_cast<Token>(i));
    if (best >= 0 && value <= best_value) continue;
    best = static_cast<Token>(i);
    best_value = value;
  }
  return best;
}

}  // namespace outrider::test
