#include "data/study/quality.h"

#include <algorithm>
#include <cmath>

#include "runtime/engine/forward_text.h"
#include "runtime/sampling/arg_max.h"

namespace outrider::study {
namespace {

/// log of the sum of e^logit.
double log_sum(std::span<const float> logits) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - most);
  return most + std::log(sum);
}

}  // namespace

void Quality::add(std::span<const float> reference, std::span<const float> target, Token next) {
  const double reference_norm = log_sum(reference);
  const double target_norm = log_sum(target);
  double here = 0;
  for (std::size_t v = 0; v < reference.size(); ++v) {
    const double log_p = static_cast<double>(reference[v]) - reference_norm;
    const double log_q = static_cast<double>(target[v]) - target_norm;
    here += std::exp(log_p) * (log_p - log_q);
  }
  const auto came = static_cast<std::size_t>(next);
  const double expected = reference_norm - static_cast<double>(reference[came]);
  const double found = target_norm - static_cast<double>(target[came]);
  ++tokens;
  reference_surprisal += expected;
  surprisal += found;
  squared_difference += (found - expected) * (found - expected);
  divergence += here;
  worst_divergence = std::max(worst_divergence, here);
  same_best += sampling::arg_max(reference) == sampling::arg_max(target) ? 1 : 0;
}

double Quality::reference_perplexity() const {
  return std::exp(reference_surprisal / static_cast<double>(tokens));
}
double Quality::perplexity() const { return std::exp(surprisal / static_cast<double>(tokens)); }
double Quality::perplexity_change() const { return perplexity() / reference_perplexity() - 1; }

double Quality::perplexity_change_error() const {
  const double n = static_cast<double>(tokens);
  const double mean = (surprisal - reference_surprisal) / n;
  const double variance = std::max(0.0, squared_difference / n - mean * mean);
  return std::exp(mean) * std::sqrt(variance / n);
}

QualityMeter::QualityMeter(engine::Engine& reference, engine::Engine& target, int longest)
    : reference_{reference, reference.make_cache(longest)},
      target_{target, target.make_cache(longest)} {}

void QualityMeter::read(std::span<const Token> tokens, std::size_t first) {
  const int first_scored = static_cast<int>(first) - 1;  // row
  const engine::TextOptions options = {.logits_from = first_scored};
  for (Reader* reader : {&reference_, &target_}) reader->cache->truncate(0);
  // The row of token i expects token i + 1; the last row expects one that is not there.
  const auto forwarded = tokens.first(tokens.size() - 1);
  const auto compare = [&](const engine::Pass& pass, int begin) {
    const auto chunk = forwarded.subspan(static_cast<std::size_t>(begin), pass.rows.size());
    engine::forward_text(target_.engine, *target_.cache, target_.pass, chunk, options);
    const int unscored = std::max(0, first_scored - begin);
    for (int row = unscored; row < std::ssize(chunk); ++row)
      quality_.add(pass.row_logits(row - unscored), target_.pass.row_logits(row - unscored),
                   tokens[static_cast<std::size_t>(begin + row) + 1]);
  };
  engine::forward_text(reference_.engine, *reference_.cache, reference_.pass, forwarded, options,
                       compare);
}

}  // namespace outrider::study
