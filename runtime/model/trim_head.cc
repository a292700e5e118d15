#include "runtime/model/trim_head.h"

#include <utility>

namespace outrider::model {

void trim_head(std::vector<Token> tokens, Model& model) {
  Weight& head = model.head;
  std::vector<std::int32_t> rows;
  rows.reserve(tokens.size());
  for (const Token token : tokens)
    rows.push_back(head.row_order.empty() ? token
                                          : head.row_order[static_cast<std::size_t>(token)]);
  head.row_order = std::move(rows);
  head.rows = std::ssize(tokens);
  model.tied = false;
  model.head_tokens = std::move(tokens);
}

}  // namespace outrider::model
