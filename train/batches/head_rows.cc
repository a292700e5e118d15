#include "train/batches/head_rows.h"

#include <fmt/core.h>

#include "runtime/base/error.h"

namespace outrider::train {

HeadRows::HeadRows(std::span<const Token> tokens, int vocab)
    : rows_(static_cast<std::size_t>(vocab), -1) {
  Token last = -1;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] <= last || tokens[i] >= vocab)
      throw InputError(
          fmt::format("token {} of the draft vocabulary is {}; expected ascending ids from 0 to {}",
                      i, tokens[i], vocab - 1));
    last = tokens[i];
    rows_[static_cast<std::size_t>(last)] = static_cast<std::int32_t>(i);
  }
}

}  // namespace outrider::train
