#include "runtime/sampling/token_counts.h"

namespace outrider::sampling {

TokenCounts::TokenCounts(std::span<const Token> prompt) {
  for (const Token token : prompt) counts_[token].in_prompt = true;
}

void TokenCounts::add(Token token) { ++counts_[token].in_text; }

}  // namespace outrider::sampling
