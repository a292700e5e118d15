#include "runtime/sampling/token_counts.h"

#include <stdexcept>

namespace outrider::sampling {

TokenCounts::TokenCounts(std::span<const Token> prompt) {
  for (const Token token : prompt) counts_[token].in_prompt = true;
}

void TokenCounts::add(Token token) { ++counts_[token].in_text; }

void TokenCounts::remove(Token token) {
  const auto found = counts_.find(token);
  if (found == counts_.end() || found->second.in_text == 0)
    throw std::logic_error("TokenCounts::remove: the text has no such token");
  if (--found->second.in_text == 0 && !found->second.in_prompt) counts_.erase(found);
}

}  // namespace outrider::sampling
