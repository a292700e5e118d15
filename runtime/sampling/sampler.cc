#include "runtime/sampling/sampler.h"

#include <xxhash.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "runtime/base/math.h"
#include "runtime/sampling/arg_max.h"
#include "runtime/sampling/gumbel_noise.h"
#include "runtime/sampling/gumbel_race.h"
#include "runtime/sampling/nucleus.h"

namespace outrider::sampling {
namespace {

void append_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

}  // namespace

std::uint64_t sequence_seed(std::uint64_t seed, std::string_view prompt_id, int turn, int sample) {
  std::string key;
  append_little_endian(key, seed, 8);
  append_little_endian(key, static_cast<std::uint32_t>(turn), 4);
  append_little_endian(key, static_cast<std::uint32_t>(sample), 4);
  key += prompt_id;
  return XXH3_64bits(key.data(), key.size());
}

Sampler::Sampler(const SamplerOptions& options, int vocab, std::uint64_t sequence_seed)
    : options_(options),
      sequence_seed_(sequence_seed),
      uses_counts_(options.repetition_penalty != 1 || options.presence_penalty != 0 ||
                   options.frequency_penalty != 0),
      changes_logits_(uses_counts_ || !options.logit_bias.empty()),
      filters_(options.top_k > 0 || options.top_p < 1 || options.min_p > 0),
      scores_(static_cast<std::size_t>(vocab)) {}

void Sampler::apply_penalties_and_bias(const TokenCounts& counts) {
  for (const auto& [token, count] : counts.counts()) {
    double& z = scores_[static_cast<std::size_t>(token)];
    z = z > 0 ? z / options_.repetition_penalty : z * options_.repetition_penalty;
    if (count.in_text > 0)
      z -= options_.presence_penalty + options_.frequency_penalty * count.in_text;
  }
  for (const auto& [token, bias] : options_.logit_bias)
    scores_[static_cast<std::size_t>(token)] += bias;
}

std::vector<Candidate> Sampler::filtered() const {
  const double lowest =
      options_.min_p > 0 ? math::log(options_.min_p) : -std::numeric_limits<double>::infinity();
  std::vector<Candidate> left;
  if (options_.top_k > 0) {
    left = best(scores_, options_.top_k);
    if (options_.top_p < 1) left = nucleus(left, options_.top_p);
  } else if (options_.top_p < 1) {
    left = nucleus(scores_, options_.top_p);
  } else {
    return at_least(scores_, lowest);
  }
  // The best token's score is 0, so that e^score is a token's share of its probability.
  left.erase(std::remove_if(left.begin(), left.end(),
                            [&](const Candidate& candidate) { return candidate.score < lowest; }),
             left.end());
  return left;
}

Token Sampler::score(std::span<const float> logits, const TokenCounts& counts) {
  const double temperature = options_.temperature;
  if (!changes_logits_) {
    // The same numbers, in fewer ways over the vocabulary; nothing changes when divided by 1.
    const Token favourite = arg_max(logits);
    const double largest = logits[static_cast<std::size_t>(favourite)];
    if (temperature == 1)
      for (std::size_t i = 0; i < logits.size(); ++i) scores_[i] = logits[i] - largest;
    else
      for (std::size_t i = 0; i < logits.size(); ++i)
        scores_[i] = (logits[i] - largest) / temperature;
    return favourite;
  }
  std::copy(logits.begin(), logits.end(), scores_.begin());
  apply_penalties_and_bias(counts);
  const Token favourite = arg_max(scores_);
  if (temperature == 0) return favourite;
  const double largest = scores_[static_cast<std::size_t>(favourite)];
  for (double& score : scores_) score = (score - largest) / temperature;
  return favourite;
}

Token Sampler::choose(std::span<const float> logits, std::int64_t position,
                      const TokenCounts& counts) {
  if (logits.size() != scores_.size())
    throw std::logic_error("Sampler::choose: the logits are not those of the vocabulary");
  if (is_arg_max()) return arg_max(logits);

  const Token favourite = score(logits, counts);
  if (options_.temperature == 0) return favourite;
  const GumbelNoise noise(sequence_seed_, position);
  return filters_ ? race(filtered(), noise) : race(scores_, favourite, noise);
}

}  // namespace outrider::sampling
