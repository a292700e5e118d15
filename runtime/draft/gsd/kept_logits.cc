#include "runtime/draft/gsd/kept_logits.h"

namespace outrider::draft {

int KeptLogits::keep(const sampling::HeadVocabulary& vocabulary,
                     std::span<const engine::RankedLogit> best,
                     const sampling::LogSoftmax& softmax) {
  sorted_.assign(best.begin(), best.end());
  std::sort(
      sorted_.begin(), sorted_.end(),
      [](const engine::RankedLogit& a, const engine::RankedLogit& b) { return a.token < b.token; });
  for (const engine::RankedLogit& one : sorted_) {
    tokens_.push_back(vocabulary.token_of(static_cast<std::size_t>(one.token)));
    logits_.push_back(one.logit);
  }
  rows_.push_back(softmax);
  return static_cast<int>(rows_.size()) - 1;
}

void KeptLogits::keep(std::span<const Token> tokens, std::span<const float> logits,
                      const sampling::LogSoftmax& softmax) {
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  logits_.insert(logits_.end(), logits.begin(), logits.end());
  rows_.push_back(softmax);
}

float KeptLogits::log_q(int row, Token token) const {
  const std::span<const Token> all = tokens(row);
  const auto found = std::lower_bound(all.begin(), all.end(), token);
  const auto index = static_cast<std::size_t>(found - all.begin());
  return rows_[static_cast<std::size_t>(row)].of(logits(row)[index]);
}

}  // namespace outrider::draft
