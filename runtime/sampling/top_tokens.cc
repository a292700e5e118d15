#include "runtime/sampling/top_tokens.h"

namespace outrider::sampling {

void TopTokens::add(const RankedToken& token) {
  const auto precedes = [&](const RankedToken& other) {
    return other.value != token.value ? other.value > token.value : other.token < token.token;
  };
  if (!(token.value > -std::numeric_limits<double>::infinity())) return;
  if (top_.size() == k_) {
    if (precedes(top_.back())) return;
    top_.pop_back();
  }
  std::size_t index = top_.size();
  while (index > 0 && !precedes(top_[index - 1])) --index;
  top_.insert(top_.begin() + static_cast<std::ptrdiff_t>(index), token);
}

}  // namespace outrider::sampling
