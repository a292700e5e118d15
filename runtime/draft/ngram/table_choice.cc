#include "runtime/draft/ngram/table_choice.h"

#include <algorithm>

namespace outrider::draft {

std::span<const sampling::RankedToken> TableChoice::rank(const sampling::SequenceSampling& sampling,
                                                         std::span<const Token> tokens,
                                                         std::span<const float> logits,
                                                         std::int64_t position, int most) {
  sorted_.clear();
  for (std::size_t i = 0; i < tokens.size(); ++i) sorted_.emplace_back(tokens[i], logits[i]);
  std::sort(sorted_.begin(), sorted_.end());
  tokens_.clear();
  logits_.clear();
  for (const auto& [token, logit] : sorted_) {
    tokens_.push_back(token);
    logits_.push_back(logit);
  }
  choice_.restrict_to(tokens_);
  choice_.rank(sampling, logits_, position, most, ranked_);
  return ranked_;
}

}  // namespace outrider::draft
