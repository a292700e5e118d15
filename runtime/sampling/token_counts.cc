#include "runtime/sampling/token_counts.h"

#include <algorithm>
#include <stdexcept>

namespace outrider::sampling {

TokenCounts::TokenCounts(std::span<const Token> prompt) {
  std::vector<Token> tokens(prompt.begin(), prompt.end());
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  counts_.reserve(tokens.size());
  for (const Token token : tokens) counts_.push_back({.token = token, .in_prompt = true});
}

/// Where the token is, or would be.
std::vector<TokenCounts::Count>::iterator TokenCounts::find(Token token) {
  return std::lower_bound(counts_.begin(), counts_.end(), token,
                          [](const Count& count, Token than) { return count.token < than; });
}

void TokenCounts::add(Token token) {
  auto found = find(token);
  if (found == counts_.end() || found->token != token)
    found = counts_.insert(found, {.token = token});
  ++found->in_text;
}

void TokenCounts::remove(Token token) {
  const auto found = find(token);
  if (found == counts_.end() || found->token != token || found->in_text == 0)
    throw std::logic_error("TokenCounts::remove: the text has no such token");
  if (--found->in_text == 0 && !found->in_prompt) counts_.erase(found);
}

}  // namespace outrider::sampling
