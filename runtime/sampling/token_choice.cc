#include "runtime/sampling/token_choice.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "runtime/base/gumbel_noise.h"
#include "runtime/base/math.h"
#include "runtime/base/weight_units.h"
#include "runtime/sampling/arg_max.h"
#include "runtime/sampling/gumbel_max.h"

namespace outrider::sampling {

double log_of_units(std::int64_t units) {
  return math::log(static_cast<double>(units) / kUnitsOfBest);
}

TokenChoice::TokenChoice(int vocab) : scores_(static_cast<std::size_t>(vocab)) {}

TokenChoice::TokenChoice(std::vector<Token> tokens)
    : tokens_(std::move(tokens)), scores_(tokens_.size()) {
  check_ascending();
}

void TokenChoice::restrict_to(std::span<const Token> tokens) {
  tokens_.assign(tokens.begin(), tokens.end());
  check_ascending();
  scores_.resize(tokens_.size());
}

void TokenChoice::check_ascending() const {
  const auto descends = std::adjacent_find(tokens_.begin(), tokens_.end(), std::greater_equal<>());
  if (tokens_.empty() || tokens_.front() < 0 || descends != tokens_.end())
    throw std::logic_error("TokenChoice: expected ids that ascend");
}

double* TokenChoice::score_of(Token token) {
  if (is_whole()) return &scores_[static_cast<std::size_t>(token)];
  const auto found = std::lower_bound(tokens_.begin(), tokens_.end(), token);
  if (found == tokens_.end() || *found != token) return nullptr;
  return &scores_[static_cast<std::size_t>(found - tokens_.begin())];
}

void TokenChoice::apply_penalties_and_bias(const SequenceSampling& sampling) {
  const SamplerOptions& options = sampling.options;
  for (const TokenCounts::Count& count : sampling.counts.counts()) {
    double* const z = score_of(count.token);
    if (z == nullptr) continue;
    *z = *z > 0 ? *z / options.repetition_penalty : *z * options.repetition_penalty;
    if (count.in_text > 0)
      *z -= options.presence_penalty + options.frequency_penalty * count.in_text;
  }
  for (const auto& [token, bias] : options.logit_bias)
    if (double* const z = score_of(token)) *z += bias;
}

/// Fills `left_`.
void TokenChoice::filter(const SamplerOptions& options) {
  const double lowest =
      options.min_p > 0 ? math::log(options.min_p) : -std::numeric_limits<double>::infinity();
  if (options.top_k > 0) {
    best(scores_, options.top_k, left_);
    if (options.top_p < 1) nucleus_.cut(left_, options.top_p);
  } else if (options.top_p < 1) {
    nucleus_.find(scores_, options.top_p, left_);
  } else {
    at_least(scores_, lowest, left_);
  }
  // The best token's score is 0, so that e^score is a token's share of its probability.
  std::erase_if(left_, [&](const Candidate& candidate) { return candidate.score < lowest; });
  for (Candidate& candidate : left_)
    candidate.token = token(static_cast<std::size_t>(candidate.token));
}

std::size_t TokenChoice::score(const SequenceSampling& sampling, std::span<const float> logits) {
  const double temperature = sampling.options.temperature;
  if (!sampling.options.changes_logits()) {
    // Without changes the scores take fewer passes over the vocabulary; dividing by 1 changes
    // nothing.
    const auto likeliest = static_cast<std::size_t>(arg_max(logits));
    const double largest = logits[likeliest];
    if (temperature == 1)
      for (std::size_t i = 0; i < logits.size(); ++i) scores_[i] = logits[i] - largest;
    else
      for (std::size_t i = 0; i < logits.size(); ++i)
        scores_[i] = (logits[i] - largest) / temperature;
    return likeliest;
  }
  std::copy(logits.begin(), logits.end(), scores_.begin());
  apply_penalties_and_bias(sampling);
  const auto likeliest = static_cast<std::size_t>(arg_max(scores_));
  if (temperature == 0) return likeliest;
  const double largest = scores_[likeliest];
  for (double& score : scores_) score = (score - largest) / temperature;
  return likeliest;
}

NoisyScores TokenChoice::noisy_scores(const SequenceSampling& sampling,
                                      std::span<const float> logits, std::int64_t position) {
  std::span<const std::uint8_t> bounds;
  if (sampling.bounds != nullptr) bounds = sampling.bounds->at(position, scores_.size());
  const GumbelNoise noise(sampling.seed, position);
  if (sampling.options.changes_logits()) {
    const std::size_t likeliest = score(sampling, logits);
    return {tokens_, ScoreView(scores_), likeliest, noise, bounds};
  }
  const auto likeliest = static_cast<std::size_t>(arg_max(logits));
  return {tokens_, ScoreView(logits, logits[likeliest], sampling.options.temperature), likeliest,
          noise, bounds};
}

void TokenChoice::check_size(std::span<const float> logits) const {
  if (logits.size() != scores_.size())
    throw std::logic_error("TokenChoice: the logits are not those of its tokens");
}

Token TokenChoice::choose(const SequenceSampling& sampling, std::span<const float> logits,
                          std::int64_t position) {
  check_size(logits);
  const SamplerOptions& options = sampling.options;
  if (options.is_arg_max()) return token(static_cast<std::size_t>(arg_max(logits)));

  if (options.temperature == 0) return token(score(sampling, logits));
  if (!options.filters()) return gumbel_max(noisy_scores(sampling, logits, position));
  score(sampling, logits);
  filter(options);
  return gumbel_max(left_, GumbelNoise(sampling.seed, position));
}

/// What all scores count for together.
std::int64_t TokenChoice::sum_of_units() {
  weights_.resize(scores_.size());
  math::exp_each(scores_, weights_);
  std::int64_t units = 0;
  for (const double weight : weights_) units += units_of_weight(weight);
  return units;
}

void TokenChoice::rank_unnormalised(const SequenceSampling& sampling, std::span<const float> logits,
                                    std::int64_t position, int k, std::vector<RankedToken>& ranked,
                                    double reach) {
  check_size(logits);
  const SamplerOptions& options = sampling.options;
  TopTokens top(k, ranked);
  if (options.temperature == 0) {
    const auto rank_by = [&](const auto& values) {
      for (std::size_t i = 0; i < values.size(); ++i)
        if (const double value = values[i]; value > top.least()) top.add({token(i), value, value});
    };
    if (options.is_arg_max()) {
      // Also refuses what is not a number.
      const auto best = static_cast<std::size_t>(arg_max(logits));
      if (k == 1)
        top.add({token(best), logits[best], logits[best]});
      else
        rank_by(logits);
    } else {
      score(sampling, logits);
      rank_by(scores_);
    }
    return;
  }
  if (options.filters()) {
    score(sampling, logits);
    filter(options);
    gumbel_top(left_, GumbelNoise(sampling.seed, position), top);
  } else {
    gumbel_top(noisy_scores(sampling, logits, position), -reach, top);
  }
}

void TokenChoice::rank(const SequenceSampling& sampling, std::span<const float> logits,
                       std::int64_t position, int k, std::vector<RankedToken>& ranked) {
  rank_unnormalised(sampling, logits, position, k, ranked);
  if (sampling.options.temperature == 0) return;
  std::int64_t units = 0;
  if (sampling.options.filters()) {
    for (const Candidate& one : left_) units += units_of_weight(math::exp(one.score));
  } else {
    if (!sampling.options.changes_logits()) score(sampling, logits);
    units = sum_of_units();
  }
  const double log_sum = log_of_units(units);
  for (RankedToken& one : ranked) one.score -= log_sum;
}

ChosenToken TokenChoice::choose_with_lead(const SequenceSampling& sampling,
                                          std::span<const float> logits, std::int64_t position) {
  if (sampling.options.is_arg_max()) {
    check_size(logits);
    const auto best = static_cast<std::size_t>(arg_max(logits));
    const float second =
        std::max(largest_of(logits.first(best)), largest_of(logits.subspan(best + 1)));
    return {token(best),
            static_cast<float>(static_cast<double>(logits[best]) - static_cast<double>(second))};
  }
  rank_unnormalised(sampling, logits, position, 2, best_two_);
  if (best_two_.size() < 2) return {best_two_.at(0).token, std::numeric_limits<float>::infinity()};
  return {best_two_[0].token, static_cast<float>(best_two_[0].value - best_two_[1].value)};
}

void TokenChoice::distribute(const SequenceSampling& sampling, std::span<const float> logits,
                             Distribution& out) {
  check_size(logits);
  const SamplerOptions& options = sampling.options;
  const std::size_t likeliest = score(sampling, logits);
  if (options.temperature == 0) {
    out.tokens.assign(1, token(likeliest));
    out.probabilities.assign(1, 1);
    return;
  }
  out.tokens.clear();
  out.probabilities.clear();
  double sum = 0;
  const auto add = [&](Token one, double score) {
    const double weight = math::exp(score);
    if (weight == 0) return;
    out.tokens.push_back(one);
    out.probabilities.push_back(weight);
    sum += weight;
  };
  if (options.filters()) {
    filter(options);
    out.reserve(left_.capacity());
    std::sort(left_.begin(), left_.end(),
              [](const Candidate& a, const Candidate& b) { return a.token < b.token; });
    for (const Candidate& one : left_) add(one.token, one.score);
  } else {
    out.reserve(scores_.size());
    for (std::size_t i = 0; i < scores_.size(); ++i) add(token(i), scores_[i]);
  }
  for (double& one : out.probabilities) one /= sum;
}

}  // namespace outrider::sampling
