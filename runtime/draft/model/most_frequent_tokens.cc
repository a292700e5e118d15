#include "runtime/draft/model/most_frequent_tokens.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace outrider::draft {

std::vector<Token> most_frequent_tokens(std::span<const std::int64_t> counts, int size,
                                        std::span<const Token> always) {
  std::vector<std::int64_t> ranks(counts.begin(), counts.end());
  for (const Token token : always)
    ranks.at(static_cast<std::size_t>(token)) = std::numeric_limits<std::int64_t>::max();
  std::vector<Token> tokens(counts.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  std::stable_sort(tokens.begin(), tokens.end(), [&](Token a, Token b) {
    return ranks[static_cast<std::size_t>(a)] > ranks[static_cast<std::size_t>(b)];
  });
  tokens.resize(static_cast<std::size_t>(size));
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

}  // namespace outrider::draft
