#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::draft {

/// The most frequent tokens, ascending ids; ties: the lowest id. Tokens that never occurred are taken
/// last, in order of ids.
/// @param counts  [vocabulary] how often each token occurred
/// @param size    how many, from `always` to the vocabulary
/// @param always  are among them: end tokens
std::vector<Token> most_frequent_tokens(std::span<const std::int64_t> counts, int size,
                                        std::span<const Token> always);

}  // namespace outrider::draft
