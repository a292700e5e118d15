#include "runtime/decode/sampler.h"

#include <xxhash.h>

#include <limits>

#include "runtime/decode/arg_max.h"
#include "runtime/decode/candidates.h"
#include "runtime/decode/gumbel_noise.h"

namespace outrider::decode {
namespace {

/// The candidate with the largest score + noise so far.
class Race {
 public:
  explicit Race(const GumbelNoise& noise) : noise_(noise) {}

  void enter(Token token, double score) {
    if (score + noise_.bound(token) < best_) return;  // cannot win: no need for its logarithms
    const double value = score + noise_.value(token);
    if (value > best_ || (value == best_ && token < winner_)) {
      best_ = value;
      winner_ = token;
    }
  }
  Token winner() const { return winner_; }

 private:
  const GumbelNoise& noise_;
  double best_ = -std::numeric_limits<double>::infinity();
  Token winner_ = std::numeric_limits<Token>::max();
};

}  // namespace

std::uint64_t sequence_seed(std::uint64_t seed, std::string_view prompt_id, int turn, int sample) {
  std::uint64_t hash = XXH3_64bits_withSeed(prompt_id.data(), prompt_id.size(), mix64(seed));
  for (const int part : {turn, sample})
    hash = mix64(hash ^ mix64(static_cast<std::uint64_t>(part) + 1));
  return hash;
}

Sampler::Sampler(const SamplerOptions& options, int vocab, std::uint64_t sequence_seed)
    : options_(options), sequence_seed_(sequence_seed) {
  if (changes_logits()) changed_.resize(static_cast<std::size_t>(vocab));
}

bool Sampler::changes_logits() const {
  return options_.repetition_penalty != 1 || options_.presence_penalty != 0 ||
         options_.frequency_penalty != 0 || !options_.logit_bias.empty();
}

std::span<const float> Sampler::penalise(std::span<const float> logits, const TokenCounts& counts) {
  if (!changes_logits()) return logits;
  changed_.assign(logits.begin(), logits.end());
  for (const auto& [token, count] : counts.counts()) {
    double z = static_cast<double>(logits[static_cast<std::size_t>(token)]);
    z = z > 0 ? z / options_.repetition_penalty : z * options_.repetition_penalty;
    if (count.in_text > 0)
      z -= options_.presence_penalty + options_.frequency_penalty * count.in_text;
    changed_[static_cast<std::size_t>(token)] = static_cast<float>(z);
  }
  for (const auto& [token, bias] : options_.logit_bias) {
    float& z = changed_[static_cast<std::size_t>(token)];
    z = static_cast<float>(static_cast<double>(z) + bias);
  }
  return changed_;
}

Token Sampler::choose(std::span<const float> logits, std::int64_t position,
                      const TokenCounts& counts) {
  logits = penalise(logits, counts);
  const Token best = arg_max(logits);
  if (options_.temperature == 0) return best;

  const GumbelNoise noise(sequence_seed_, position);
  Race race(noise);
  const float largest = logits[static_cast<std::size_t>(best)];
  if (options_.top_k > 0 || options_.top_p < 1 || options_.min_p > 0) {
    for (const Candidate& candidate : filter(logits, largest, options_))
      race.enter(candidate.token, candidate.score);
  } else {
    race.enter(best, 0.0);  // the likely winner first: most others need no logarithm then
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const double score =
          (static_cast<double>(logits[i]) - static_cast<double>(largest)) / options_.temperature;
      race.enter(static_cast<Token>(i), score);
    }
  }
  return race.winner();
}

}  // namespace outrider::decode
