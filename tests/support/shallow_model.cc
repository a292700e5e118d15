#include "tests/support/shallow_model.h"

#include <utility>

namespace outrider::test {

model::Model shallow_model(const model::Model& from, std::span<const int> layers,
                           std::vector<Token> head_tokens) {
  model::Model model = from;
  model.config.layers = static_cast<int>(layers.size());
  model.layers.clear();
  for (const int layer : layers)
    model.layers.push_back(from.layers.at(static_cast<std::size_t>(layer - 1)));
  if (head_tokens.empty()) return model;
  std::vector<std::byte> rows;
  const auto row_bytes = static_cast<std::size_t>(from.head.row_bytes());
  for (const Token token : head_tokens) {
    const std::byte* row = from.head.row(token);
    rows.insert(rows.end(), row, row + row_bytes);
  }
  model.tied = false;
  model.head = {.name = "head",
                .type = from.head.type,
                .rows = static_cast<std::int64_t>(head_tokens.size()),
                .columns = from.head.columns,
                .bytes = model.keep(std::move(rows)),
                .row_order = {}};
  model.head_tokens = std::move(head_tokens);
  return model;
}

std::vector<Token> every_token(int vocab, Token first, int step) {
  std::vector<Token> tokens;
  for (Token token = first; token < vocab; token += step) tokens.push_back(token);
  return tokens;
}

}  // namespace outrider::test
