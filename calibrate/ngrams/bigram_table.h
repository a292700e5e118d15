#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// The first rows of a bigram table: for each token from 0 on, what the model says after it.
struct BigramTable {
  std::vector<Token> before;     // what stands before every token; empty: it is alone
  int top = 0;                   // k
  std::vector<Token> next;       // [rows, top] the likeliest first; ties: the lowest id
  std::vector<float> log_probs;  // [rows, top] natural, at temperature 1

  int rows() const { return static_cast<int>(next.size() / static_cast<std::size_t>(top)); }
};

/// Goes on with a table until it has a row for every token. Rows do not depend on each other, so the
/// table is the same whatever the batch and wherever it was broken off.
/// @param batch  tokens of a pass
/// @param go_on  told after every pass that the table has grown; false ends it early
/// @return whether the table is whole
bool fill_bigram_table(engine::Engine& engine, int batch, BigramTable& table,
                       const std::function<bool()>& go_on);

/// The rows from `first` on as numbers, to be kept, and such rows added again.
std::vector<std::int32_t> rows_from(const BigramTable& table, int first);
void append_rows(std::span<const std::int32_t> rows, BigramTable& table);

}  // namespace outrider::calibrate
