#include "runtime/draft/graph/kept_logits.h"

#include <limits>

namespace outrider::draft {

int KeptLogits::keep(const DraftVocabulary& vocabulary, std::span<const float> logits,
                     const LogSoftmax& softmax) {
  candidates_.clear();
  candidates_.reserve(4 * kOfRow);
  // What a logit must exceed: as many that precede it have reached this.
  float threshold = -std::numeric_limits<float>::infinity();
  for (std::size_t index = 0; index < logits.size(); ++index) {
    if (!(logits[index] > threshold) && candidates_.size() >= of_row_) continue;
    candidates_.push_back({logits[index], index});
    if (candidates_.size() < 4 * kOfRow) continue;
    keep_best();
    threshold = candidates_.back().logit;
  }
  keep_best();
  std::sort(candidates_.begin(), candidates_.end(),
            [](const Candidate& a, const Candidate& b) { return a.index < b.index; });
  for (const Candidate& one : candidates_) {
    tokens_.push_back(vocabulary.token_of(one.index));
    logits_.push_back(one.logit);
  }
  rows_.push_back(softmax);
  return static_cast<int>(rows_.size()) - 1;
}

void KeptLogits::keep(std::span<const Token> tokens, std::span<const float> logits,
                      const LogSoftmax& softmax) {
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  logits_.insert(logits_.end(), logits.begin(), logits.end());
  rows_.push_back(softmax);
}

/// The last of them becomes the least.
void KeptLogits::keep_best() {
  const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(of_row_) - 1;
  std::nth_element(candidates_.begin(), last, candidates_.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return a.logit != b.logit ? a.logit > b.logit : a.index < b.index;
                   });
  candidates_.erase(last + 1, candidates_.end());
}

float KeptLogits::log_q(int row, Token token) const {
  const std::span<const Token> all = tokens(row);
  const auto found = std::lower_bound(all.begin(), all.end(), token);
  const auto index = static_cast<std::size_t>(found - all.begin());
  return rows_[static_cast<std::size_t>(row)].of(logits(row)[index]);
}

}  // namespace outrider::draft
