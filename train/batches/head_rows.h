#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::train {

/// The row of each token in a trimmed head.
class HeadRows {
 public:
  /// @param tokens  of the head's rows, ascending
  /// @param vocab   of the target
  /// @throws InputError for tokens that do not ascend or are outside the vocabulary
  HeadRows(std::span<const Token> tokens, int vocab);

  /// -1: the head has no row for it.
  std::int64_t row(Token token) const { return rows_[static_cast<std::size_t>(token)]; }

 private:
  std::vector<std::int32_t> rows_;  // [vocab]
};

}  // namespace outrider::train
