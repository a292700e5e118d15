#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Rows of a bigram table: for each token from the first on, the model's next tokens.
struct BigramTable {
  std::vector<Token> before;     // tokens before every row's token; empty: none
  int top = 0;                   // k
  Token first = 0;               // of the first row
  std::vector<Token> next;       // [rows, top] the likeliest first; ties: the lowest id
  std::vector<float> log_probs;  // [rows, top] natural, at temperature 1

  int rows() const { return static_cast<int>(next.size() / static_cast<std::size_t>(top)); }
};

/// Continues a table until it has a row for every token before `end`. Rows are independent, so the table is the
/// same for every batch size and after any interruption.
/// @param batch  tokens of a pass
/// @param go_on  called after every pass; false ends early
/// @return whether the table is complete
bool fill_bigram_table(engine::Engine& engine, int batch, Token end, BigramTable& table,
                       const std::function<bool()>& go_on);

/// The rows as numbers for the journal, and such rows added after others.
std::vector<std::int32_t> numbers_of(const BigramTable& table);
void append_rows(std::span<const std::int32_t> rows, BigramTable& table);

}  // namespace outrider::calibrate
